// A window as code: masks shown, each token coloured by who wrote it and shaded by when, with a slider over the way
// there.
import { el, replace } from "./dom.js";
import { actionClass, actionLetter } from "./actions.js";
import { copyButton } from "./copy.js";
import { MASK, TEXT, cellTexts, passInWords, windowAt } from "./trajectory.js";

const SHADES = 6; // theme.css has so many
const LONGEST_RUN = 48; // masks drawn of a run; the others are counted

const OPEN_MASK = "\u2591", WAITING_MASK = "\u00b7";

function maskRun(length, waiting) {
  const drawn = Math.min(length, LONGEST_RUN);
  return el("span", { class: "mask", role: "img", "aria-label": `${length} masked${waiting ? ", waiting" : ""}` },
    (waiting ? WAITING_MASK : OPEN_MASK).repeat(drawn), drawn < length && el("span", { class: "more" }, `\u2009\u00d7${length}`));
}

// A token; the white space it begins with apart, so that lines under words begin with the words.
function tokenSpans(text, cell, names, shade, fresh) {
  const looks = `${actionClass(cell.action)} shade-${shade}${fresh ? " fresh" : ""}`;
  const title = cell.action < 0 ? null : `${names[cell.action]}, pass ${cell.when}`;
  const space = text.match(/^\s*/)[0], word = text.slice(space.length);
  return [space !== "" && el("span", { class: `token space ${looks}`, title }, space),
    word !== "" && el("span", { class: `token ${looks}`, title }, word)];
}

// The last pass that wrote a cell before the end of the text.
function lastWrite(cells) {
  return cellTexts(cells).reduce((latest, _, i) => Math.max(latest, cells[i].when), 1);
}

// Cells up to the end of the text as spans. `now`: the pass whose writes are marked; `latest`: the pass that is shaded
// darkest.
export function codeSpans(cells, names, now = 0, latest = lastWrite(cells)) {
  const texts = cellTexts(cells), spans = [];
  for (let i = 0; i < texts.length; ++i) {
    const cell = cells[i];
    if (cell.kind === MASK) {
      let run = 1;
      while (i + run < texts.length && cells[i + run].kind === MASK && cells[i + run].waiting === cell.waiting) ++run;
      spans.push(maskRun(run, cell.waiting));
      i += run - 1;
    } else if (cell.kind === TEXT && texts[i] !== "") {
      const shade = Math.min(Math.floor((SHADES * Math.max(cell.when - 1, 0)) / latest), SHADES - 1);
      spans.push(...tokenSpans(texts[i], cell, names, shade, now > 0 && cell.when === now).filter(Boolean));
    }
  }
  return spans;
}

// `writers`: the numbers of those that write.
export function codeLegend(names, writers = [...names.keys()]) {
  return el("ul", { class: "legend" },
    writers.map((action) => el("li", {},
      el("span", { class: `token ${actionClass(action)} shade-3` }, ` ${actionLetter(action)} `), names[action])),
    el("li", {}, "early ", [0, 1, 2, 3, 4, 5].map((shade) => el("span", { class: `token plain shade-${shade}` }, "\u2002")), " late"),
    el("li", {}, el("span", { class: "mask" }, OPEN_MASK.repeat(2)), " masked"),
    // Shown from the first window in blocks on.
    el("li", { class: "waiting-key", hidden: true }, el("span", { class: "mask" }, WAITING_MASK.repeat(2)), " masked, waiting for its block"));
}

export class CodeView {
  // `moved` is called with a node and the passes on the way to it that are shown; `writers`: those that the legend names.
  constructor(names, { moved, writers }) {
    this.names = names;
    this.moved = moved;
    this.cells = [];
    this.code = el("code", {});
    this.slider = el("input", {
      type: "range", min: 0, max: 0, step: 1, "aria-label": "Forward passes", input: () => this.#show(),
    });
    this.place = el("output", { class: "numbers" });
    this.legend = codeLegend(names, writers);
    this.play = el("button", { type: "button", click: () => (this.timer ? this.#stop() : this.#start()) }, "\u25b6 Play");
    this.copy = copyButton(() => cellTexts(this.cells).join(""));
    this.element = el("div", { class: "code-view" },
      el("div", { class: "code-tools" }, this.play, this.slider, this.copy), this.place,
      el("pre", { class: "code", tabindex: 0, "aria-label": "Text of the answer" }, this.code), this.legend);
  }

  // The way to a node of a SearchTree, at its end.
  show(node) {
    this.#stop();
    this.node = node;
    this.latest = lastWrite(windowAt(node).cells);
    this.slider.max = node.passes;
    this.slider.value = node.passes;
    this.#show();
  }

  // A window by itself: no way to it is known.
  showCells(cells, now = 0, latest = undefined) {
    this.cells = cells;
    replace(this.code, codeSpans(cells, this.names, now, latest));
    if (cells.some((cell) => cell.waiting)) this.legend.querySelector(".waiting-key").hidden = false;
  }

  #show() {
    const pass = Number(this.slider.value), { passes } = this.node;
    const shown = windowAt(this.node, pass);
    this.showCells(shown.cells, pass < passes ? pass : 0, this.latest);
    const did = passInWords(shown, this.names) || (shown.action >= 0 && this.names[shown.action]);
    this.place.textContent = [`pass ${pass} of ${passes}`, did].filter(Boolean).join(" \u00b7 ");
    this.slider.setAttribute("aria-valuetext", this.place.textContent);
    this.moved(this.node, pass);
  }

  #start() {
    if (Number(this.slider.value) >= this.node.passes) this.slider.value = 0;
    this.play.textContent = "\u275a\u275a Pause";
    this.timer = setInterval(() => {
      this.slider.value = Number(this.slider.value) + Math.max(Math.round(this.node.passes / 160), 1);
      this.#show();
      if (Number(this.slider.value) >= this.node.passes) this.#stop();
    }, 60);
  }

  #stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "\u25b6 Play";
  }
}
