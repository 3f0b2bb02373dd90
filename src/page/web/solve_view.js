// A solve while it happens: the tree grows, the text fills in, tests turn green.
import { el } from "./dom.js";
import { AloneView } from "./alone_view.js";
import { CodeView } from "./code_view.js";
import { countMasks, passOf, pictured } from "./live_state.js";
import { TestsView } from "./live_tests.js";
import { SolveNumbers } from "./solve_numbers.js";
import { SearchTree, placeAt } from "./tree.js";
import { formatReward } from "./tree_picture.js";
import { TreeView, describeNode, treeLegend } from "./tree_view.js";
import { maskedWindow, passInWords } from "./trajectory.js";

const STOPPED = {
  budget: "the budget is spent", exhausted: "nothing is left to try", reward: "the reward is reached",
  time: "the time is up", interrupted: "stopped", error: "an error",
};

export class SolveView {
  // `begin`: the first event; `save` is called to save the report; `alone`: what an AloneView needs.
  constructor(begin, save, alone) {
    this.names = [...begin.actions.map((action) => action.name), ...(begin.members ?? [])];
    this.tree = new SearchTree(begin.window);
    this.window = begin.window;
    this.verdicts = new Map(); // by end
    this.tests = new TestsView(begin.problem.reward);
    // An action of several models does not write itself: they do.
    const together = begin.actions.map((action) => (begin.members ?? []).some((member) => member.startsWith(`${action.name}/`)));
    this.writers = [...this.names.keys()].filter((author) => !together[author]);
    this.code = new CodeView(this.names, { writers: this.writers, moved: (node, pass) => this.treeView.mark(placeAt(node, pass)) });
    this.numbers = new SolveNumbers(begin.search.budget);
    this.alone = new AloneView(begin, this.names, alone);
    this.treeView = new TreeView(this.tree, this.names, (node) => this.#visit(node));
    this.following = true;
    this.hits = 0;
    this.over = false;
    this.#build(begin, save);
    this.#follow();
    this.#number({ doing: "waiting for the device" });
  }

  #build(begin, save) {
    this.status = el("p", { class: "status", role: "status" });
    this.followButton = el("button", { type: "button", click: () => this.#follow() }, "Follow the search");
    this.saveButton = el("button", { type: "button", disabled: true, click: save }, "Save report");
    this.place = el("p", { class: "small soft place" });
    this.verdictTitle = el("h3", {}, "Tests");
    this.element = el("section", { class: "solve-view", "aria-labelledby": "solve-title" },
      el("div", { class: "heading" }, el("h2", { id: "solve-title" }, begin.problem.id), this.saveButton),
      el("p", { class: "prompt", tabindex: 0, role: "group", "aria-label": "What is asked" }, begin.problem.prompt),
      this.numbers.element, this.status,
      el("div", { class: "together" },
        el("section", { "aria-label": "Text" },
          el("div", { class: "heading" }, el("h3", {}, "Text"), el("div", { class: "code-tools" }, this.followButton, this.code.copy)),
          this.place, this.code.element),
        el("section", { "aria-label": "Search tree" },
          el("div", { class: "heading" }, el("h3", {}, "Search tree"), this.treeView.tools), this.treeView.element)),
      this.code.legend, treeLegend(this.names, [...this.names.keys()].filter((author) => !this.writers.includes(author))), this.verdictTitle, this.tests.element, this.alone.element);
  }

  // One event of the story.
  tell({ kind, data }) {
    if (kind === "state") this.#picture(data);
    else if (kind === "rollout") this.#grow(data);
    else if (kind === "end") this.#end(data);
  }

  #picture(state) {
    const same = this.last?.state.from === state.from && this.last.state.action === state.action;
    this.last = { state, cells: pictured(state, same ? this.last.cells : null) };
    if (this.following) this.#showLast();
    this.#number({ nfe: Math.max(this.numbers.state.nfe, state.nfe), seconds: state.seconds, doing: `${this.names[state.action]} is writing` });
  }

  #showLast() {
    const { state, cells } = this.last, masks = countMasks(cells), filled = cells.length - masks;
    this.code.showCells(cells, filled, cells.length);
    const from = this.tree.byState.get(state.from)?.[0];
    this.treeView.mark(from ? { node: from, share: 1 } : null);
    const wrote = passInWords(passOf(state, cells), this.names) || `${this.names[state.action]} writes`;
    this.place.textContent = `pass ${state.nfe}: ${wrote}, from ${state.from === 0 ? "the root" : `state ${state.from}`}, ` +
      `${masks} ${masks === 1 ? "mask" : "masks"} left`;
  }

  #grow(line) {
    const before = this.tree.best;
    this.tree.add(line);
    if (this.tree.best !== before)
      this.status.textContent = `Best reward so far: ${formatReward(this.tree.best.reward)}, after ${line.nfe} forward passes.`;
    if (line.verdict) this.verdicts.set(line.path.at(-1), line.verdict);
    this.hits += line.hit ? 1 : 0;
    this.tests.count(line.verdict);
    this.#redraw();
    this.#number({ nfe: line.nfe, doing: line.hit ? "recalling a known rollout" : "judged an answer" });
  }

  // Many rollouts may come at once: what is seen changes once per frame.
  #redraw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.treeView.relayout();
      this.#verdict();
    });
  }

  #verdict() {
    const node = this.visited ?? this.tree.best;
    const of = this.visited ? `of state ${this.visited.state}` : "of the best answer so far";
    this.verdictTitle.textContent = node ? `Tests ${this.over && !this.visited ? "of the best answer" : of}` : "Tests";
    this.tests.show(this.verdicts.get(node?.state) ?? null);
    const { best } = this.tree;
    this.alone.showBest(best, this.verdicts.get(best?.state), this.numbers.state.nfe);
  }

  #number(changed) {
    this.numbers.update({ rollouts: this.tree.rollouts, hits: this.hits, best: this.tree.best?.reward, over: this.over, ...changed });
  }

  #visit(node) {
    this.following = false;
    this.visited = node.end && node !== this.tree.best ? node : null;
    this.followButton.hidden = this.over;
    this.code.element.classList.remove("following");
    this.place.textContent = describeNode(node, this.names);
    this.code.show(node);
    this.#verdict();
  }

  #follow() {
    this.following = true;
    this.visited = null;
    this.followButton.hidden = true;
    this.code.element.classList.add("following");
    if (this.last) this.#showLast();
    else this.code.showCells(maskedWindow(this.window));
    this.#verdict();
  }

  #end(result) {
    this.over = true;
    this.#number({ seconds: result.seconds, nfe: result.search?.nfe ?? this.numbers.state.nfe });
    this.followButton.hidden = true;
    this.treeView.relayout();
    if (this.tree.best) this.treeView.select(this.tree.best);
    this.visited = null;
    this.#verdict();
    this.saveButton.disabled = Boolean(result.error);
    this.status.textContent = this.#summary(result);
    this.element.classList.add("over");
    this.element.classList.toggle("solved", result.reward >= 1);
  }

  #summary(result) {
    const cost = ({ nfe, rollouts, hits }) =>
      ` after ${nfe} forward passes, ${rollouts} ${rollouts === 1 ? "rollout" : "rollouts"}, ${hits} of them from the cache`;
    // One that never began has no cost.
    if (result.error) return `Ended without an answer${result.search ? cost(result.search) : ""}: ${result.error.message}`;
    const { stopped } = result.search;
    const worth = result.reward >= 1 ? "Solved" : `Best reward ${formatReward(result.reward)}`;
    return `${worth}${cost(result.search)}; ${STOPPED[stopped] ?? stopped}.`;
  }
}
