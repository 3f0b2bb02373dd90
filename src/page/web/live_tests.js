// The tests of a problem while it is solved: open, failed, passed.
import { el, replace } from "./dom.js";
import { OUTCOMES } from "./tests_view.js";

// A test as a person would write it.
export function testLabel(test) {
  if (typeof test.assert === "string") return test.assert;
  if (typeof test.call === "string") return `${test.call} == ${test.expect}`;
  if (typeof test.stdin === "string") return `stdin ${JSON.stringify(test.stdin)} gives ${JSON.stringify(test.stdout)}`;
  return JSON.stringify(test);
}

export class TestsView {
  // `reward` of the problem.
  constructor(reward) {
    this.labels = reward.type === "python-tests" && Array.isArray(reward.tests) ? reward.tests.map(testLabel) : [];
    this.names = [];
    this.answers = 0;
    this.passes = [];
    this.list = el("ul", { class: "tests" });
    this.element = el("div", {}, this.list);
    this.show(null);
  }

  // Counts the verdict of a line of a trace.
  count(verdict) {
    if (!verdict?.outcomes) return;
    if (verdict.names) this.names = verdict.names;
    ++this.answers;
    [...verdict.outcomes].forEach((outcome, i) => {
      this.passes[i] = (this.passes[i] ?? 0) + (outcome === "p" ? 1 : 0);
    });
  }

  // The verdict on one answer; null where there is none yet.
  show(verdict) {
    const outcomes = verdict?.outcomes ?? "";
    const many = Math.max(outcomes.length, this.labels.length);
    const labels = this.labels.length === many ? this.labels : this.names;
    const rows = Array.from({ length: many }, (_, i) => this.#row(labels[i] ?? `test ${i + 1}`, outcomes[i],
      verdict?.failures?.[i], this.passes[i] ?? 0));
    if (many === 0 && verdict?.why) rows.push(el("li", {}, verdict.why));
    replace(this.list, rows);
  }

  #row(label, outcome, why, passes) {
    const state = outcome === undefined ? "open" : outcome === "p" ? "good" : "bad";
    const sign = { open: "\u25cb", good: "\u2713", bad: "\u2717" }[state];
    const word = outcome === undefined ? "not run yet" : OUTCOMES[outcome]?.[1] ?? "failed";
    return el("li", { class: `test ${state}` },
      el("span", { class: "sign", "aria-hidden": "true" }, sign), el("span", { class: "visually-hidden" }, `${word}: `),
      el("code", {}, label),
      state === "bad" && el("span", { class: "why" }, why || word),
      this.answers > 1 && el("span", { class: "share small soft" }, `in ${passes} of ${this.answers} answers`));
  }
}
