// A tree that grows, and a cut that can be dragged.

import { HIGH, WIDE, canvas, figureText, make, scaleOf, titled, tone, words } from "./draw.js";

const NAMED = 60, LETTERS = 14; // leaves with their names, and letters of a name

export function treeStage(film, screen, side) {
  const merges = film.children.length, leaves = merges + 1;
  const svg = canvas(screen, WIDE, HIGH, `Tree of ${leaves} rows; drag the dashed line to cut it`);
  const highest = Math.max(...film.heights, 0) || 1;
  const named = film.names && leaves <= NAMED, foot = named ? 78 : 24; // pixels below the tree
  const y = height => HIGH - foot - (height / (1.06 * highest)) * (HIGH - foot - 16);
  const height = pixel => Math.max(0, ((HIGH - foot - pixel) / (HIGH - foot - 16)) * 1.06 * highest);
  const spots = placesOfTree(film.children, leaves);
  const x = place => 44 + (place / Math.max(1, merges)) * (WIDE - 56);
  const links = film.children.map(([a, b], k) => {
    const from = node => (node < leaves ? y(0) : y(film.heights[node - leaves]));
    const d = `M${x(spots[a])} ${from(a)}V${y(film.heights[k])}H${x(spots[b])}V${from(b)}`;
    return make("path", { d, class: "line" }, svg);
  });
  for (const share of [0, 0.5, 1]) words(svg, 40, y(share * highest) + 4, figureText(Number((share * highest).toPrecision(3))), "end");
  if (named) film.names.forEach((name, leaf) => leafName(svg, name, x(spots[leaf]), y(0)));
  else words(svg, WIDE / 2, HIGH - 6, `${leaves} rows`);
  const line = make("path", { class: "cut" }, svg);
  const grip = make("path", { class: "grip" }, svg);
  const scatter = film.points ? scatterOf(film, side) : () => {};
  const slider = cutSlider(side, highest);
  const reached = reachedHeights(film.children, film.heights, leaves);
  let cut = 0, labels = [], grown = merges;

  function colour() {
    const node = [...labels];
    film.children.forEach(([a, b], k) => node.push(reached[k] <= cut ? node[a] : -1));
    links.forEach((link, k) => {
      link.setAttribute("class", node[leaves + k] < 0 ? "line ink" : `line ${tone(node[leaves + k])}`);
      link.setAttribute("visibility", k < grown ? "visible" : "hidden");
    });
    scatter(labels);
  }
  function cutAt(value) {
    cut = value;
    labels = labelsBelow(film.children, reached, leaves, cut);
    const d = `M44 ${y(cut)}H${WIDE - 12}`;
    line.setAttribute("d", d);
    grip.setAttribute("d", d);
    slider.tell(cut, new Set(labels).size);
    colour();
  }
  const drag = event => {
    const box = svg.getBoundingClientRect();
    cutAt(height(((event.clientY - box.top) / box.height) * HIGH));
  };
  grip.addEventListener("pointerdown", event => { grip.setPointerCapture(event.pointerId); event.preventDefault(); });
  grip.addEventListener("pointermove", event => grip.hasPointerCapture(event.pointerId) && drag(event));
  slider.input.addEventListener("input", () => cutAt((slider.input.valueAsNumber / 1000) * highest));
  cutAt(film.cut ?? widestGap(film.heights, highest));
  return {
    last: merges,
    values: film.heights,
    iteration: position => Math.max(0, position - 1),
    words: position => (position
      ? { text: `${position} of ${merges} merges, the last at height `, value: film.heights[position - 1] }
      : { text: `${leaves} rows, not merged yet`, value: undefined }),
    draw(position) { grown = position; colour(); },
    cutAt,
    get labels() { return labels; },
    get cut() { return cut; },
  };
}

/** The name of a row below its leaf, upwards; the whole of it where it is pointed at. */
function leafName(svg, name, x, y) {
  const text = make("text", { transform: `translate(${x + 3} ${y + 6}) rotate(-90)`, "text-anchor": "end", class: "t tiny" }, svg);
  text.textContent = name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name;
  titled(text, name);
}

/** The middle of the widest step between two merges among the highest ten. */
function widestGap(heights, highest) {
  const sorted = [...heights].sort((a, b) => a - b).slice(-10);
  let best = highest / 2, wide = 0;
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i] - sorted[i - 1] > wide) { wide = sorted[i] - sorted[i - 1]; best = (sorted[i] + sorted[i - 1]) / 2; }
  }
  return best;
}

/** Leaves stand from left to right in the order of the tree, a merge between its two parts. */
function placesOfTree(children, leaves) {
  const spots = new Array(2 * leaves - 1).fill(0);
  const stack = [2 * leaves - 2];
  let next = 0;
  while (stack.length) {
    const node = stack.pop();
    if (node < leaves) spots[node] = next++;
    else stack.push(children[node - leaves][1], children[node - leaves][0]);
  }
  children.forEach(([a, b], k) => { spots[leaves + k] = (spots[a] + spots[b]) / 2; });
  return spots;
}

/** A merge counts as high as the highest below it. */
function reachedHeights(children, heights, leaves) {
  const reached = [];
  children.forEach(([a, b], k) => {
    const below = [a, b].filter(node => node >= leaves).map(node => reached[node - leaves]);
    reached.push(Math.max(heights[k], ...below));
  });
  return reached;
}

/** The cluster of each leaf, numbered in the order of their first leaves. */
function labelsBelow(children, reached, leaves, cut) {
  const top = Array.from({ length: 2 * leaves - 1 }, (_, node) => node);
  children.forEach(([a, b], k) => { if (reached[k] <= cut) top[a] = top[b] = leaves + k; });
  for (let node = 2 * leaves - 2; node >= 0; node--) if (top[node] !== node) top[node] = top[top[node]];
  const numbers = new Map();
  return Array.from({ length: leaves }, (_, leaf) => {
    if (!numbers.has(top[leaf])) numbers.set(top[leaf], numbers.size);
    return numbers.get(top[leaf]);
  });
}

function scatterOf(film, side) {
  const svg = canvas(side, 300, 200, "The rows in a plane, coloured by the clusters of the cut");
  const x = scaleOf(film.points.map(p => p[0]), 8, 292), y = scaleOf(film.points.map(p => p[1]), 192, 8);
  const dots = film.points.map((p, i) => titled(make("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, class: "dot" }, svg), film.names?.[i]));
  return labels => dots.forEach((dot, i) => dot.setAttribute("class", `dot ${tone(labels[i])}`));
}

function cutSlider(side, highest) {
  const label = document.createElement("label");
  label.className = "cutter";
  const said = document.createElement("span"), input = document.createElement("input");
  Object.assign(input, { type: "range", min: 0, max: 1060, step: 1 });
  label.append(said, input);
  side.append(label);
  return {
    input,
    tell(cut, clusters) {
      said.textContent = `cut at height ${figureText(Number(cut.toPrecision(4)))}: ${clusters} cluster${clusters === 1 ? "" : "s"}`;
      input.setAttribute("aria-valuetext", said.textContent);
      if (document.activeElement !== input) input.value = Math.round((cut / highest) * 1000);
    },
  };
}
