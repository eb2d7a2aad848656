// The player without a browser: every frame of the films in a file is shown on elements that only remember.
// node player_in_node.mjs FOLDER_OF_SCRIPTS FILMS.json prints what the player says of each frame, a line each.

import fs from "node:fs";
import { pathToFileURL } from "node:url";

function element(tag) {
  const found = {};
  return {
    tag, children: [], text: "",
    setAttribute(name, value) {
      if (value === undefined || String(value).includes("NaN")) throw new Error(`${tag}: ${name} is ${value}`);
    },
    append(...more) { this.children.push(...more); },
    addEventListener() {},
    querySelector(query) { return (found[query] ??= element(query)); },
    set textContent(text) { this.text = text; this.children = []; },
    get textContent() { return this.text + this.children.map(child => child.textContent ?? "").join(""); },
  };
}

globalThis.document = { createElement: element, createElementNS: (_, tag) => element(tag), querySelectorAll: () => [] };
globalThis.matchMedia = () => ({ matches: true });
const [scripts, films] = process.argv.slice(2);
const { mount } = await import(pathToFileURL(`${scripts}/player.js`).href);
for (const film of JSON.parse(fs.readFileSync(films, "utf-8"))) {
  const figure = element("figure");
  mount(figure, film);
  for (let at = 0; at <= figure.player.stage.last; at++) {
    figure.player.show(at);
    console.log(JSON.stringify([film.name, figure.querySelector("[data-role=said]").textContent, figure.player.objective]));
  }
}
