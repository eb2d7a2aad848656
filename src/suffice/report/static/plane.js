// Points in a plane: centres that move, ellipses that breathe; and fits that have only an objective.

import { drawDecisions } from "./contours.js";
import { drawLines } from "./tiles.js";
import { DIGITS, HIGH, WIDE, canvas, make, scaleOf, titled, tone, words } from "./draw.js";

export function planeStage(film, screen) {
  const svg = canvas(screen, WIDE, HIGH, `${film.name}: ${film.points.length} of ${film.total} rows in a plane`);
  svg.setAttribute("style", "overflow: hidden"); // ellipses may reach farther than the rows
  const reach = film.frames.flatMap(frame => placesIn(frame));
  const box = [film.nodes ? 16 : 0, 0, WIDE, HIGH - 22];
  const x = film.nodes ? spanOf(film.nodes[0], box[0], WIDE) : scaleOf([...film.points, ...reach].map(p => p[0]), 12, WIDE - 12);
  const y = film.nodes ? spanOf(film.nodes[1], HIGH - 22, 0) : scaleOf([...film.points, ...reach].map(p => p[1]), HIGH - 30, 12);
  const under = make("g", {}, svg);
  const dots = film.points.map((p, i) => titled(make("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, class: "dot" }, svg), film.names?.[i]));
  const moving = make("g", {}, svg);
  words(svg, WIDE / 2, HIGH - 6, film.axes[0]);
  const up = make("text", { transform: `translate(10 ${HIGH / 2}) rotate(-90)`, "text-anchor": "middle", class: "t" }, svg);
  up.textContent = film.axes[1];
  let ticket = 0;

  function colour(frame) {
    dots.forEach((dot, i) => {
      const labels = frame.labels || film.labels;
      dot.setAttribute("class", labels ? `dot ${tone(DIGITS.indexOf(labels[i]))}` : "dot");
      dot.setAttribute("r", frame.sizes ? frame.sizes[i] : 3);
      dot.setAttribute("opacity", frame.sure ? 0.15 + 0.85 * Number(frame.sure[i]) / 9 : 1);
    });
  }
  function place(frame, before, share) {
    const mixed = (a, b) => a + (b - a) * share;
    moving.textContent = "";
    (frame.centres || []).forEach((to, j) => {
      const from = before.centres[j] || to;
      make("circle", { cx: x(mixed(from[0], to[0])), cy: y(mixed(from[1], to[1])), r: 8, class: `centre ${tone(j)}` }, moving);
    });
    (frame.rings || []).forEach(i => make("circle", { cx: x(film.points[i][0]), cy: y(film.points[i][1]), r: 6.5, class: "ring" }, moving));
    (frame.ellipses || []).forEach((to, j) => drawEllipse(moving, blended(before.ellipses[j] || to, to, mixed), j, x, y));
  }
  return {
    last: film.frames.length - 1,
    values: film.iterations.map(done => done.objective),
    iteration: position => film.frames[position].iteration,
    frame: position => film.frames[position],
    words: position => frameWords(film, film.frames[position]),
    draw(position, from) {
      const frame = film.frames[position], before = film.frames[from], mine = ++ticket, began = performance.now();
      colour(frame);
      under.textContent = "";
      if (frame.decisions) drawDecisions(under, film, frame, x, y, box);
      if (film.cuts) drawCells(under, film.cuts, frame, x, y, box);
      if (frame.lines) drawLines(under, frame.lines, film.cuts, x, y);
      if (from === position) return place(frame, frame, 1);
      const tick = now => {
        if (mine !== ticket) return;
        const share = Math.min(1, (now - began) / 350);
        place(frame, before, share);
        if (share < 1) requestAnimationFrame(tick);
      };
      place(frame, before, 0);
      requestAnimationFrame(tick);
      return undefined;
    },
  };
}

/** From the first node to the last. */
const spanOf = (nodes, low, high) => value => low + (value - nodes[0]) / (nodes.at(-1) - nodes[0]) * (high - low);
const placesIn = frame => [...(frame.centres || []), ...(frame.ellipses || []).map(e => e.at)];

function blended(a, b, mixed) {
  return {
    at: [0, 1].map(i => mixed(a.at[i], b.at[i])),
    spread: [0, 1].map(i => [0, 1].map(j => mixed(a.spread[i][j], b.spread[i][j]))),
    weight: mixed(a.weight, b.weight),
  };
}

function drawEllipse(parent, one, j, x, y) {
  const [[a, b], [, c]] = one.spread;
  const middle = (a + c) / 2, away = Math.hypot((a - c) / 2, b), turn = Math.atan2(2 * b, a - c) / 2;
  const radii = [Math.sqrt(Math.max(middle + away, 0)), Math.sqrt(Math.max(middle - away, 0))];
  for (const deviations of [1, 2]) {
    const corners = [];
    for (let k = 0; k < 60; k++) {
      const angle = (2 * Math.PI * k) / 60;
      const u = deviations * radii[0] * Math.cos(angle), v = deviations * radii[1] * Math.sin(angle);
      const px = x(one.at[0] + u * Math.cos(turn) - v * Math.sin(turn));
      const py = y(one.at[1] + u * Math.sin(turn) + v * Math.cos(turn));
      corners.push(`${px.toFixed(1)} ${py.toFixed(1)}`);
    }
    make("path", { d: `M${corners.join("L")}Z`, class: `ellipse line ${tone(j)}`, opacity: one.weight > 0 ? 1 : 0 }, parent);
  }
}

/** Cells in the colours of their classes, and a line where the answers of the last learner change. */
function drawCells(parent, [across, up], frame, x, y, [left, top, right, bottom]) {
  const xs = [left, ...across.map(x), right], ys = [bottom, ...up.map(y), top];
  (frame.region || []).forEach((row, i) => {
    for (let from = 0, to; from < row.length; from = to) {
      for (to = from + 1; row[to] === row[from]; to++);
      const size = { x: xs[from], y: ys[i + 1], width: xs[to] - xs[from], height: ys[i] - ys[i + 1] };
      make("rect", { ...size, class: `region ${tone(DIGITS.indexOf(row[from]))}` }, parent);
    }
  });
  const parts = [];
  (frame.learner || []).forEach((row, i, rows) => {
    for (let j = 0; j < row.length; j++) {
      if (j && row[j] !== row[j - 1]) parts.push(`M${xs[j]} ${ys[i]}V${ys[i + 1]}`);
      if (i && row[j] !== rows[i - 1][j]) parts.push(`M${xs[j]} ${ys[i]}H${xs[j + 1]}`);
    }
  });
  if (parts.length) make("path", { d: parts.join(""), class: "line learner" }, parent);
}

/** What is seen: the start, a half of an iteration with the objective after it, or a whole iteration. */
function frameWords(film, frame) {
  if (frame.said) {
    const { number } = film.iterations[frame.iteration];
    return { text: `${film.turn || "round"} ${number} of ${film.iterations.length}, ${frame.said}`, value: undefined };
  }
  if (frame.phase === "start") return { text: "the start", value: undefined };
  if (!frame.phase || frame.phase === "end") return iterationWords(film, frame.iteration);
  const { number } = film.iterations[frame.iteration];
  return { text: `iteration ${number} of ${film.iterations.length}, ${frame.phase}: objective `, value: frame.value ?? undefined };
}

function iterationWords(film, at) {
  const { number, objective } = film.iterations[at];
  return { text: `iteration ${number} of ${film.iterations.length}, objective `, value: objective };
}

export function noStage(film) {
  return {
    last: film.frames.length - 1,
    values: film.iterations.map(done => done.objective),
    iteration: position => film.frames[position].iteration,
    frame: position => film.frames[position],
    words: position => (film.frames[position].said ? frameWords(film, film.frames[position]) : iterationWords(film, film.frames[position].iteration)),
    draw() {},
  };
}
