// Opens problems above the list that they stand in. What is open is what the address says: links, the back button and
// addresses that others send lead to the same.
import { el, replace } from "./dom.js";
import { addressOf, decoded, findAddress } from "./address.js";
import { ProblemList } from "./problem_list.js";
import { showProblem } from "./problem_view.js";

export class ProblemOpener {
  constructor(runs) {
    this.runs = runs;
    this.lists = new Map(runs.map((run) =>
      [run, new ProblemList(run, (problem, configuration) => addressOf(runs, run, problem, configuration), (address) => this.#go(address))]));
    this.place = el("section", { id: "details", "aria-label": "Problem" });
    this.news = el("p", { class: "notice", role: "alert", hidden: true });
    this.open = null; // {run, problem}
  }

  list(run) {
    return this.lists.get(run);
  }

  // Once the lists stand in the page.
  start() {
    addEventListener("hashchange", () => this.#show());
    if (location.hash.length > 1) this.#show();
  }

  #go(address) {
    if (location.hash === address) this.#show();
    else location.hash = address;
  }

  async #show() {
    const asked = location.hash.length > 1, found = asked ? findAddress(this.runs, location.hash) : null;
    this.news.hidden = !asked || found !== null;
    if (!found) {
      if (asked) this.news.textContent = `This page has no problem ${decoded(location.hash.slice(1))}.`;
      this.#close();
      if (asked) this.news.scrollIntoView();
      return;
    }
    const { run, problem, configuration } = found, list = this.lists.get(run);
    this.#mark(run, problem);
    list.element.closest(".problems-part").before(this.place);
    const title = el("h2", { id: "problem", tabindex: -1 }, problem.id);
    const shown = showProblem(this.place, run, problem, configuration, this.#head(title, run, problem));
    this.#lookAt(title);
    await shown;
    if (this.place.contains(title)) this.#lookAt(title);
  }

  // Its heading at the top of the window, and the first that the keyboard meets.
  #lookAt(title) {
    title.focus({ preventScroll: true });
    this.place.scrollIntoView();
  }

  #mark(run, problem) {
    if (this.open && this.open.run !== run) this.lists.get(this.open.run).mark(null);
    this.open = run && { run, problem };
    if (run) this.lists.get(run).mark(problem);
  }

  // Back to the row that it was opened from.
  #close() {
    if (!this.open) return;
    const { run, problem } = this.open, list = this.lists.get(run);
    list.mark(null);
    this.open = null;
    this.place.remove();
    replace(this.place);
    const row = list.rowOf(problem) ?? list.element;
    row.scrollIntoView({ block: "center" });
    row.querySelector("a")?.focus({ preventScroll: true });
  }

  #head(title, run, problem) {
    const list = this.lists.get(run);
    const step = (label, by) => {
      const next = list.neighbour(problem, by);
      return el("button", { type: "button", disabled: next === null, click: () => this.#go(list.address(next, 0)) }, label);
    };
    return el("div", { class: "heading" }, title, el("div", { class: "tools", role: "group", "aria-label": "Other problems" },
      step("\u2039 Previous", -1), step("Next \u203a", 1),
      el("button", { type: "button", click: () => { location.hash = ""; } }, "Close")));
  }
}
