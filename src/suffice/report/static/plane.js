// Points in a plane: centres that move, ellipses that breathe; and fits that have only an objective.

import { DIGITS, HIGH, WIDE, canvas, make, scaleOf, tone, words } from "./draw.js";

export function planeStage(film, screen) {
  const svg = canvas(screen, WIDE, HIGH, `${film.name}: ${film.points.length} of ${film.total} rows in a plane`);
  const reach = film.frames.flatMap(frame => placesIn(frame));
  const x = scaleOf([...film.points, ...reach].map(p => p[0]), 12, WIDE - 12);
  const y = scaleOf([...film.points, ...reach].map(p => p[1]), HIGH - 30, 12);
  const dots = film.points.map(p => make("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, class: "dot" }, svg));
  const moving = make("g", {}, svg);
  words(svg, WIDE / 2, HIGH - 6, film.axes[0]);
  const up = make("text", { transform: `translate(10 ${HIGH / 2}) rotate(-90)`, "text-anchor": "middle", class: "t" }, svg);
  up.textContent = film.axes[1];
  let ticket = 0;

  function colour(frame) {
    dots.forEach((dot, i) => {
      dot.setAttribute("class", frame.labels ? `dot ${tone(DIGITS.indexOf(frame.labels[i]))}` : "dot");
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

/** What is seen: the start, a half of an iteration with the objective after it, or a whole iteration. */
function frameWords(film, frame) {
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
    words: position => iterationWords(film, film.frames[position].iteration),
    draw() {},
  };
}
