// Small pictures beside a film: what hidden units see of the plane, or the filters of a convolution.

import { DIGITS, canvas, make, words } from "./draw.js";

const EDGE = 33, GAP = 4, ACROSS = 8;

/** A panel of the tiles of each frame; nothing where a film has none. */
export function tilesOf(film, side) {
  const most = Math.max(0, ...(film.frames || []).map(frame => frame.tiles?.length ?? 0));
  if (!most) return { draw() {} };
  const high = 22 + Math.ceil(most / ACROSS) * (EDGE + GAP);
  const svg = canvas(side, 300, high, `${film.tiled}, ${most} of them, from the least, light, to the largest, dark`);
  words(svg, 8, 14, film.tiled, "start");
  const moving = make("g", {}, svg);
  return {
    draw(position) {
      moving.textContent = "";
      (film.frames[position].tiles || []).forEach((tile, k) => {
        const left = 8 + (k % ACROSS) * (EDGE + GAP), top = 20 + Math.floor(k / ACROSS) * (EDGE + GAP);
        const wide = EDGE / tile[0].length, tall = EDGE / tile.length;
        tile.forEach((row, i) => [...row].forEach((shade, j) => {
          const size = { x: left + j * wide, y: top + i * tall, width: wide + 0.3, height: tall + 0.3 };
          make("rect", { ...size, class: "shade", "fill-opacity": (DIGITS.indexOf(shade) / 9).toFixed(2) }, moving);
        }));
        make("rect", { x: left, y: top, width: EDGE, height: EDGE, class: "frame" }, moving);
      });
    },
  };
}

/** Where a x + b y + c is 0 within a box, in the units of the screen. */
export function drawLines(parent, lines, [across, up], x, y) {
  const xs = [2 * across[0] - across[1], 2 * across.at(-1) - across.at(-2)];
  const ys = [2 * up[0] - up[1], 2 * up.at(-1) - up.at(-2)];
  for (const [a, b, c] of lines) {
    const ends = [
      ...xs.map(u => [u, -(a * u + c) / b]).filter(p => p[1] >= ys[0] && p[1] <= ys[1]),
      ...ys.map(v => [-(b * v + c) / a, v]).filter(p => p[0] >= xs[0] && p[0] <= xs[1]),
    ];
    if (ends.length < 2) continue;
    const [from, to] = [ends[0], ends.at(-1)].map(p => `${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`);
    make("path", { d: `M${from}L${to}`, class: "line unit" }, parent);
  }
}
