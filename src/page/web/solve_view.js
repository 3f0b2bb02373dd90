// A solve while it happens: the tree grows, the text fills in, tests turn green.
import { el, replace } from "./dom.js";
import { CodeView } from "./code_view.js";
import { SearchTree } from "./tree.js";
import { TestsView } from "./live_tests.js";
import { TreeView, describeNode, formatReward, treeLegend } from "./tree_view.js";
import { MASK, carry, maskedWindow } from "./trajectory.js";

function countMasks(cells) {
  return cells.reduce((masks, cell) => masks + (cell.kind === MASK), 0);
}

// Under block decoding, masks behind the first `active` ones wait until these are filled.
function inBlocks(cells, active) {
  let masks = 0;
  return cells.map((cell) => (cell.kind === MASK && ++masks > active ? { ...cell, waiting: true } : cell));
}

// The cells of a state event: authors are told, and a cell that was masked in the picture before is new.
export function pictured(state, before) {
  const cells = carry([], state.window);
  const filled = cells.length - countMasks(cells);
  let at = 0;
  for (const [action, count] of state.by) {
    for (const end = at + count; at < end && at < cells.length; ++at) {
      if (cells[at].kind === MASK) continue;
      const known = before?.[at] && before[at].kind !== MASK ? before[at].when : before ? filled : 1;
      cells[at] = { ...cells[at], action, when: known };
    }
  }
  return inBlocks(cells, state.active ?? Infinity);
}

const STOPPED = {
  budget: "the budget is spent", exhausted: "nothing is left to try", reward: "the reward is reached",
  time: "the time is up", interrupted: "stopped", error: "an error",
};

export class SolveView {
  // `begin`: the first event; `save` is called to save the report.
  constructor(begin, save) {
    this.names = [...begin.actions.map((action) => action.name), ...(begin.members ?? [])];
    this.budget = begin.search.budget;
    this.tree = new SearchTree(begin.window);
    this.window = begin.window;
    this.verdicts = new Map(); // by end
    this.tests = new TestsView(begin.problem.reward);
    this.code = new CodeView(this.names);
    this.treeView = new TreeView(this.tree, this.names, (node) => this.#visit(node));
    this.following = true;
    this.hits = 0;
    this.nfe = 0;
    this.over = false;
    this.#build(begin, save);
    this.#follow();
    this.#numbers("waiting for the device");
  }

  #build(begin, save) {
    this.progress = el("progress", { max: this.budget, value: 0, "aria-label": "Budget spent" });
    this.facts = el("dl", { class: "tiles" });
    this.status = el("p", { class: "status", role: "status" });
    this.followButton = el("button", { type: "button", click: () => this.#follow() }, "Follow the search");
    this.saveButton = el("button", { type: "button", disabled: true, click: save }, "Save report");
    this.place = el("p", { class: "small soft" });
    this.verdictTitle = el("h3", {}, "Tests");
    this.element = el("section", { class: "solve-view", "aria-labelledby": "solve-title" },
      el("h2", { id: "solve-title" }, begin.problem.id), el("p", { class: "prompt" }, begin.problem.prompt),
      this.progress, this.facts, this.status,
      el("div", { class: "columns two" },
        el("div", {}, el("div", { class: "heading" }, el("h3", {}, "Text"), this.followButton), this.place, this.code.element),
        el("div", {}, this.verdictTitle, this.tests.element)),
      el("h3", {}, "Search tree"), this.treeView.element, treeLegend(this.names),
      el("div", { class: "tools" }, this.saveButton));
  }

  // One event of the story.
  tell({ kind, data }) {
    if (kind === "state") this.#picture(data);
    else if (kind === "rollout") this.#grow(data);
    else if (kind === "end") this.#end(data);
  }

  #picture(state) {
    const same = this.last?.from === state.from && this.last.action === state.action;
    const cells = pictured(state, same ? this.last.cells : null);
    this.last = { from: state.from, action: state.action, cells };
    this.nfe = Math.max(this.nfe, state.nfe);
    if (this.following) this.#showLast();
    this.#numbers(`${this.names[state.action]} is writing`);
  }

  #showLast() {
    const { cells, action, from } = this.last;
    const masks = countMasks(cells), filled = cells.length - masks;
    this.code.showCells(cells, filled, cells.length);
    this.place.textContent = `${this.names[action]} writes from ${from === 0 ? "the root" : `state ${from}`}, ` +
      `${masks} ${masks === 1 ? "mask" : "masks"} left`;
  }

  #grow(line) {
    const before = this.tree.best;
    this.tree.add(line);
    if (this.tree.best !== before)
      this.status.textContent = `Best reward so far: ${formatReward(this.tree.best.reward)}, after ${line.nfe} forward passes.`;
    if (line.verdict) this.verdicts.set(line.path.at(-1), line.verdict);
    this.nfe = line.nfe;
    this.hits += line.hit ? 1 : 0;
    this.tests.count(line.verdict);
    this.#redraw();
    this.#numbers(line.hit ? "recalling a known rollout" : "judged an answer");
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
  }

  #numbers(doing) {
    this.progress.value = Math.min(this.nfe, this.budget);
    const fact = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
    replace(this.facts,
      fact("forward passes", `${this.nfe} of ${this.budget}`), fact("rollouts", String(this.tree.rollouts)),
      fact("from the cache", String(this.hits)), fact("best reward", formatReward(this.tree.best?.reward)),
      fact("now", this.over ? "over" : doing));
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
    this.followButton.hidden = true;
    this.treeView.relayout();
    if (this.tree.best) this.treeView.select(this.tree.best);
    this.visited = null;
    this.#verdict();
    this.#numbers("over");
    this.saveButton.disabled = Boolean(result.error);
    this.status.textContent = this.#summary(result);
    this.element.classList.add("over");
    this.element.classList.toggle("solved", result.reward >= 1);
  }

  #summary(result) {
    if (result.error) return `Ended without an answer: ${result.error.message}`;
    const { nfe, rollouts, hits, stopped } = result.search;
    const worth = result.reward >= 1 ? "Solved" : `Best reward ${formatReward(result.reward)}`;
    return `${worth} after ${nfe} forward passes, ${rollouts} rollouts, ${hits} of them from the cache; ` +
      `${STOPPED[stopped] ?? stopped}.`;
  }
}
