// The problems of a run, with filters.
import { el, replace } from "./dom.js";
import { verdictSign } from "./problem_view.js";

const SHOWN = 100; // at a time

const FILTERS = {
  all: ["all", () => true],
  passed: ["passed by all", (signs) => signs.length > 0 && signs.every((passed) => passed === true)],
  failed: ["failed by all", (signs) => signs.length > 0 && signs.every((passed) => passed === false)],
  differ: ["configurations differ", (signs) => signs.includes(true) && signs.includes(false)],
  open: ["not judged", (signs) => signs.length === 0 || signs.includes(null)],
};

// `address(problem, configuration)` is where one is shown, `go` goes there.
export class ProblemList {
  constructor(run, address, go) {
    this.run = run;
    this.address = address;
    this.go = go;
    this.current = null; // the problem that is shown
    const budgets = [...new Set(run.configurations.flatMap((one) => one.budgets))].sort((a, b) => a - b);
    const change = () => this.refresh();
    this.words = el("input", { type: "search", placeholder: "id contains\u2026", input: change });
    this.budget = el("select", { change }, budgets.map((budget) => el("option", { value: budget, selected: budget === budgets.at(-1) }, String(budget))));
    this.filter = el("select", { change }, Object.entries(FILTERS).map(([key, [name]]) => el("option", { value: key }, name)));
    this.count = el("p", { class: "small soft", role: "status" });
    this.body = el("tbody", {});
    this.more = el("button", { type: "button", click: () => this.#grow() }, "Show more");
    const field = (name, control) => {
      control.setAttribute("aria-label", name);
      return el("label", {}, name, control);
    };
    this.element = el("div", {},
      el("div", { class: "tools" }, field("Problem", this.words), field("Budget, at most", this.budget), field("Verdicts", this.filter)),
      this.count,
      el("div", { class: "scroll" }, el("table", { class: "data problems" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "words" }, "Problem"), run.configurations.map((one) => el("th", { scope: "col", class: "words" }, one.name)))),
        this.body)), this.more);
    this.refresh();
  }

  refresh() {
    const words = this.words.value.toLowerCase(), budget = Number(this.budget.value), [, keep] = FILTERS[this.filter.value];
    this.chosen = this.run.problems.filter((problem) => {
      if (!problem.id.toLowerCase().includes(words)) return false;
      return keep(this.#upTo(problem, budget).filter(Boolean).map((one) => (one[5] === "done" ? one[2] : null)));
    });
    this.count.textContent = `${this.chosen.length} of ${this.run.problems.length} problems`;
    replace(this.body);
    this.rows = new Map();
    this.shown = 0;
    this.#grow();
  }

  // By configuration: the result of the largest budget that is allowed.
  #upTo(problem, budget) {
    const best = this.run.configurations.map(() => null);
    for (const one of problem.results) {
      if (one[1] <= budget && one[1] > (best[one[0]]?.[1] ?? 0)) best[one[0]] = one;
    }
    return best;
  }

  #grow() {
    const budget = Number(this.budget.value);
    for (const problem of this.chosen.slice(this.shown, this.shown + SHOWN)) this.body.append(this.#row(problem, budget));
    this.shown += SHOWN;
    this.more.hidden = this.shown >= this.chosen.length;
  }

  #row(problem, budget) {
    const results = this.#upTo(problem, budget);
    const cells = this.run.configurations.map((one, number) => {
      const result = results[number];
      if (!result) return el("td", { class: "words soft" }, "");
      return el("td", { class: "words" }, el("button", { type: "button", click: () => this.go(this.address(problem, number)) },
        el("span", { class: "visually-hidden" }, `${problem.id}, ${one.name}: `), verdictSign(result[2], result[5]), result[3] === null ? "" : ` ${Math.round(100 * result[3]) / 100}`));
    });
    const current = problem === this.current;
    const row = el("tr", { class: current ? "current" : null }, el("th", { scope: "row" },
      el("a", { href: this.address(problem, 0), "aria-current": current ? "true" : null }, problem.id)), cells);
    this.rows.set(problem, row);
    return row;
  }

  // Marks the problem that is shown; null: none is.
  mark(problem) {
    for (const one of [this.current, problem]) {
      const row = this.rows.get(one);
      row?.classList.toggle("current", one === problem);
      if (one === problem) row?.querySelector("a").setAttribute("aria-current", "true");
      else row?.querySelector("a").removeAttribute("aria-current");
    }
    this.current = problem;
  }

  rowOf(problem) {
    return this.rows.get(problem) ?? null;
  }

  // The problem before or behind one, of those that the filters leave; null where there is none.
  neighbour(problem, step) {
    const at = this.chosen.indexOf(problem);
    return (at < 0 ? null : this.chosen[at + step]) ?? null;
  }
}
