// A function of the plane from its values at the nodes of a grid: where it is above 0, and lines of its levels.

import { make, tone } from "./draw.js";

/** The side below 0 in the colour of the first class, that above in the second's, and the levels; 0 is the thickest. */
export function drawDecisions(parent, film, frame, x, y, [left, top, right, bottom]) {
  const [across, up] = film.nodes, xs = across.map(x), ys = up.map(y), values = frame.decisions;
  const all = `M${left} ${top}H${right}V${bottom}H${left}Z`;
  make("path", { d: all, class: `area faint ${tone(0)}` }, parent);
  make("path", { d: above(values, xs, ys), class: "area blank" }, parent);
  make("path", { d: above(values, xs, ys), class: `area faint ${tone(1)}` }, parent);
  for (const level of film.levels) {
    make("path", { d: crossing(values, xs, ys, level), class: `line level${level === 0 ? " thick" : " margin"}` }, parent);
  }
}

/** The squares between nodes: their corners in turn, as [x, y, value]. */
function* squares(values, xs, ys) {
  for (let i = 0; i + 1 < ys.length; i++) {
    for (let j = 0; j + 1 < xs.length; j++) {
      yield [[i, j], [i, j + 1], [i + 1, j + 1], [i + 1, j]].map(([r, c]) => [xs[c], ys[r], values[r][c]]);
    }
  }
}

/** Where the line from one corner to the next has a value. */
function between([x, y, f], [u, v, g], level) {
  const share = (level - f) / (g - f);
  return `${(x + share * (u - x)).toFixed(1)} ${(y + share * (v - y)).toFixed(1)}`;
}

function above(values, xs, ys) {
  const parts = [];
  for (const corners of squares(values, xs, ys)) {
    const way = [];
    corners.forEach((one, k) => {
      const next = corners[(k + 1) % 4];
      if (one[2] > 0) way.push(`${one[0].toFixed(1)} ${one[1].toFixed(1)}`);
      if (one[2] > 0 !== next[2] > 0) way.push(between(one, next, 0));
    });
    if (way.length) parts.push(`M${way.join("L")}Z`);
  }
  return parts.join("") || "M0 0";
}

function crossing(values, xs, ys, level) {
  const parts = [];
  for (const corners of squares(values, xs, ys)) {
    const met = [];
    corners.forEach((one, k) => {
      const next = corners[(k + 1) % 4];
      if (one[2] > level !== next[2] > level) met.push(between(one, next, level));
    });
    for (let k = 0; k + 1 < met.length; k += 2) parts.push(`M${met[k]}L${met[k + 1]}`);
  }
  return parts.join("") || "M0 0";
}
