// Drawing in SVG, shared by all stages of the player.

const SVG = "http://www.w3.org/2000/svg";
export const WIDE = 520, HIGH = 360; // of the stage, in units of its viewBox
export const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const COLOURS = 8;

export function make(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (parent) parent.append(element);
  return element;
}

export function words(parent, x, y, text, anchor = "middle") {
  make("text", { x, y, "text-anchor": anchor, class: "t" }, parent).textContent = text;
}

/** What an element is called, shown where it is pointed at; nothing without a name. */
export function titled(element, name) {
  if (name !== undefined) make("title", {}, element).textContent = name;
  return element;
}

export function canvas(parent, width, height, label) {
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, null);
  parent.append(svg);
  return svg;
}

export function scaleOf(values, low, high) {
  const known = values.filter(Number.isFinite);
  let least = Math.min(...known), most = Math.max(...known);
  if (!(most > least)) { least -= 0.5; most += 0.5; }
  const room = 0.05 * (most - least);
  return value => low + (value - least + room) / (most - least + 2 * room) * (high - low);
}

export const figureText = x => (x === null || x === undefined ? "not finite" : String(Number(Number(x).toPrecision(9))));
export const tone = number => `c${number % COLOURS}`;
