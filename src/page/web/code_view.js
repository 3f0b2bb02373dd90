// A window as code: masks shown, each token coloured by who wrote it and shaded by when, with a slider over the way
// there.
import { el, replace } from "./dom.js";
import { actionClass, actionLetter } from "./actions.js";
import { MASK, TEXT, cellTexts } from "./trajectory.js";

const SHADES = 6; // theme.css has so many
const LONGEST_RUN = 48; // masks drawn of a run; the others are counted

function maskRun(length) {
  const drawn = Math.min(length, LONGEST_RUN);
  return el("span", { class: "mask", role: "img", "aria-label": `${length} masked` },
    "\u2591".repeat(drawn), drawn < length && el("span", { class: "more" }, `\u2009\u00d7${length}`));
}

// Cells up to the end of the text as spans. `now`: the pass whose writes are marked; `passes`: of the whole way.
export function codeSpans(cells, names, now, passes) {
  const texts = cellTexts(cells), spans = [];
  for (let i = 0; i < texts.length; ++i) {
    const cell = cells[i];
    if (cell.kind === MASK) {
      let run = 1;
      while (i + run < texts.length && cells[i + run].kind === MASK) ++run;
      spans.push(maskRun(run));
      i += run - 1;
    } else if (cell.kind === TEXT && texts[i] !== "") {
      const shade = Math.min(Math.floor((SHADES * (cell.when - 1)) / Math.max(passes, 1)), SHADES - 1);
      const fresh = cell.when === now && now > 0;
      spans.push(el("span", {
        class: `token ${actionClass(cell.action)} shade-${Math.max(shade, 0)}${fresh ? " fresh" : ""}`,
        title: cell.action < 0 ? null : `${names[cell.action]}, pass ${cell.when}`,
      }, texts[i]));
    }
  }
  return spans;
}

export function codeLegend(names) {
  return el("ul", { class: "legend" },
    names.map((name, action) => el("li", {},
      el("span", { class: `token ${actionClass(action)} shade-3` }, ` ${actionLetter(action)} `), name)),
    el("li", {}, "early ", [0, 1, 2, 3, 4, 5].map((shade) => el("span", { class: `token plain shade-${shade}` }, "\u2002")), " late"),
    el("li", {}, el("span", { class: "mask" }, "\u2591\u2591"), " masked"));
}

export class CodeView {
  constructor(names) {
    this.names = names;
    this.code = el("code", {});
    this.slider = el("input", {
      type: "range", min: 0, max: 0, step: 1, "aria-label": "Forward passes", input: () => this.#show(),
    });
    this.place = el("output", { class: "numbers" });
    this.play = el("button", { type: "button", click: () => (this.timer ? this.#stop() : this.#start()) }, "\u25b6 Play");
    this.element = el("div", { class: "code-view" },
      el("div", { class: "code-tools" }, this.play, this.slider, this.place),
      el("pre", { class: "code", tabindex: 0, "aria-label": "Text of the answer" }, this.code), codeLegend(names));
  }

  // The way to a state of `trajectories`, at its end.
  show(trajectories, state) {
    this.#stop();
    this.trajectories = trajectories;
    this.state = state;
    this.passes = trajectories.passes(state);
    this.slider.max = this.passes;
    this.slider.value = this.passes;
    this.#show();
  }

  // A window by itself: no way to it is known.
  showCells(cells, pass = 0, passes = 0) {
    replace(this.code, codeSpans(cells, this.names, pass, passes));
  }

  #show() {
    const pass = Number(this.slider.value);
    const { cells, action } = this.trajectories.at(this.state, pass);
    this.showCells(cells, pass < this.passes ? pass : 0, this.passes);
    const place = `pass ${pass} of ${this.passes}${action >= 0 ? ` \u00b7 ${this.names[action]}` : ""}`;
    this.place.textContent = place;
    this.slider.setAttribute("aria-valuetext", place);
  }

  #start() {
    if (Number(this.slider.value) >= this.passes) this.slider.value = 0;
    this.play.textContent = "\u275a\u275a Pause";
    this.timer = setInterval(() => {
      this.slider.value = Number(this.slider.value) + Math.max(Math.round(this.passes / 160), 1);
      this.#show();
      if (Number(this.slider.value) >= this.passes) this.#stop();
    }, 60);
  }

  #stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "\u25b6 Play";
  }
}
