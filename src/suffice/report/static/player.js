// The player: replays the frames of a recorded fit. Every number it shows stands in the film.

import { canvas, figureText, make, scaleOf, tone, words } from "./draw.js";
import { noStage, planeStage } from "./plane.js";
import { tilesOf } from "./tiles.js";
import { treeStage } from "./tree.js";

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Make every film of a page playable. */
export function mountAll(root) {
  for (const figure of root.querySelectorAll("figure.player")) {
    mount(figure, JSON.parse(figure.querySelector("script[type='application/json']").textContent));
  }
}

/** Make one figure playable; `figure.player` is its handle. */
export function mount(figure, film) {
  const screen = figure.querySelector(".screen");
  screen.textContent = "";
  const side = document.createElement("div");
  side.className = "side";
  const stages = { centres: planeStage, mixture: planeStage, boosting: planeStage, decisions: planeStage, net: planeStage, tree: treeStage, curve: noStage };
  const stage = stages[film.kind](film, screen, side);
  screen.append(side);
  const curve = curveOf(film, side, stage.values);
  const tiles = tilesOf(film, side);
  const controls = controlsOf(figure, stage.last);
  let position = 0, timer = 0;

  function show(to, gliding) {
    const from = position;
    position = Math.max(0, Math.min(stage.last, to));
    stage.draw(position, gliding && !calm() ? from : position);
    curve.mark(stage.iteration(position));
    tiles.draw(position);
    controls.tell(position, stage.words(position));
  }
  function pause() {
    clearTimeout(timer);
    timer = 0;
    controls.playing(false);
  }
  function play() {
    if (position === stage.last) show(0, false);
    controls.playing(true);
    const wait = Math.max(80, Math.min(900, 14000 / (stage.last + 1)));
    const next = () => {
      show(position + 1, true);
      if (position < stage.last) timer = setTimeout(next, wait);
      else pause();
    };
    timer = setTimeout(next, wait);
  }
  const step = by => { pause(); show(position + by, true); };
  const toggle = () => (timer ? pause() : play());
  controls.listen({ step, toggle, jump: to => { pause(); show(to, false); } });
  figure.player = {
    play, pause, step, stage,
    show: to => { pause(); show(to, false); },
    get position() { return position; },
    get playing() { return timer !== 0; },
    get objective() { return stage.values[stage.iteration(position)]; },
  };
  show(stage.last, false);
}

// ---- the objective, and the buttons ----

function curveOf(film, side, values) {
  const name = film.kind === "tree" ? "height of each merge" : "objective after each iteration";
  const curves = film.curves?.length ? film.curves : [{ name, values }];
  const label = curves.map(own => `${own.name}, from ${figureText(own.values[0])} to ${figureText(own.values.at(-1))}`);
  const svg = canvas(side, 300, 190, label.join("; "));
  const x = scaleOf(values.map((_, i) => i), 14, 288), y = scaleOf(curves.flatMap(own => own.values), 160, 18 + 12 * curves.length);
  curves.forEach((own, k) => {
    const points = own.values.map((value, i) => [x(i), y(value)]).filter(p => Number.isFinite(p[1]));
    make("path", { d: `M${points.map(p => p.map(c => c.toFixed(1)).join(" ")).join("L")}`, class: `line ${tone(k)}` }, svg);
    if (curves.length > 1) make("rect", { x: 8, y: 6 + 13 * k, width: 8, height: 8, class: tone(k) }, svg);
    words(svg, curves.length > 1 ? 22 : 8, 14 + 13 * k, own.name, "start");
  });
  values = curves[0].values;
  words(svg, 14, 182, "1", "middle");
  words(svg, 288, 182, String(values.length), "end");
  const dot = make("circle", { r: 6, class: "now" }, svg);
  return {
    mark(at) {
      const visible = Number.isFinite(values[at]);
      dot.setAttribute("visibility", visible ? "visible" : "hidden");
      if (visible) { dot.setAttribute("cx", x(at)); dot.setAttribute("cy", y(values[at])); }
    },
  };
}

function controlsOf(figure, last) {
  const find = role => figure.querySelector(`[data-role=${role}]`);
  const [back, toggle, forward, scrub, said] = ["back", "toggle", "forward", "scrub", "said"].map(find);
  scrub.max = last;
  return {
    tell(position, { text, value }) {
      scrub.value = position;
      back.disabled = position === 0;
      forward.disabled = position === last;
      said.textContent = text;
      if (value !== undefined) {
        const data = document.createElement("data");
        data.value = String(value);
        data.textContent = figureText(value);
        said.append(data);
      }
      scrub.setAttribute("aria-valuetext", said.textContent);
    },
    playing(yes) {
      toggle.textContent = yes ? "Pause" : "Play";
      said.setAttribute("aria-live", yes ? "off" : "polite");
    },
    listen({ step, toggle: turn, jump }) {
      back.addEventListener("click", () => step(-1));
      forward.addEventListener("click", () => step(1));
      toggle.addEventListener("click", turn);
      scrub.addEventListener("input", () => jump(scrub.valueAsNumber));
      figure.addEventListener("keydown", event => {
        const inside = event.target.tagName;
        const act = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => jump(0), End: () => jump(last), " ": turn }[event.key];
        if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
        if ((inside === "INPUT" && event.key !== " ") || (inside === "BUTTON" && event.key === " ")) return;
        event.preventDefault();
        act();
      });
    },
  };
}

mountAll(document);
