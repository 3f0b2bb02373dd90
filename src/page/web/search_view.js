// One search: its tree, the text at any node and on the way there, the verdict of each test, all rollouts.
import { el, replace } from "./dom.js";
import { SearchTree, placeAt } from "./tree.js";
import { formatReward } from "./tree_picture.js";
import { TreeView, treeLegend, describeNode } from "./tree_view.js";
import { CodeView } from "./code_view.js";
import { testsView, verdictsOf } from "./tests_view.js";

const ROWS = 200; // of the list, at a time

const inOrder = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);

// The end whose verdict speaks for a node: its own, or that of the walk it lies on.
function endOf(node) {
  let end = node;
  while (!end.end && end.children.length > 0) end = end.children[0];
  return end;
}

export class SearchView {
  // `lines` of a trace; `names` of the actions; `window`: cells of the root; `answer`: the rollout that gave it, where
  // that is known.
  constructor(lines, names, window, answer = 0) {
    this.lines = lines;
    this.names = names;
    this.tree = new SearchTree(window);
    this.ends = lines.map((line) => this.tree.add(line));
    const found = lines.findIndex((line) => line.iteration === answer);
    if (found >= 0) this.tree.best = this.ends[found];
    this.verdicts = verdictsOf(lines);
    const actions = inOrder(lines.map((line) => line.action)), writers = inOrder(lines.flatMap((line) => (line.writes ? line.writes.by ?? line.action : [])));
    this.code = new CodeView(names, { writers, moved: (node, pass) => this.view.mark(placeAt(node, pass)) });
    this.view = new TreeView(this.tree, names, (node) => this.#show(node));
    this.title = el("h3", {});
    this.tests = el("div", {});
    this.element = el("div", {},
      el("div", { class: "heading" }, el("h3", {}, "Search tree"), this.view.tools), this.view.element, treeLegend(names, actions),
      el("div", { class: "columns two" },
        el("section", { "aria-label": "Text" }, this.title, this.code.element),
        el("section", { "aria-label": "Verdict" }, el("h3", {}, "Verdict"), this.tests)),
      this.#rollouts());
    const first = this.tree.best ?? this.tree.root;
    this.view.selected = first;
    this.#show(first);
  }

  #show(node) {
    const best = node === this.tree.best ? "\u2605 " : "";
    this.title.textContent = `${best}${describeNode(node, this.names)}`;
    this.code.show(node);
    const end = endOf(node), verdict = this.verdicts.get(end.state);
    replace(this.tests,
      end !== node && el("p", { class: "small soft" }, `Of the rollout through this state, which ended at state ${end.state} with reward ${formatReward(end.reward)}`),
      verdict ? testsView(verdict) : el("p", { class: "soft" }, "None."));
  }

  // The same as a table, for reading, and for finding a node without the picture.
  #rollouts() {
    const body = el("tbody", {});
    const more = el("button", { type: "button", hidden: true, click: () => grow() }, "Show more");
    let shown = 0;
    const grow = () => {
      this.lines.slice(shown, shown + ROWS).forEach((line, i) => body.append(this.#row(line, this.ends[shown + i])));
      shown += ROWS;
      more.hidden = shown >= this.lines.length;
    };
    const details = el("details", { toggle: () => details.open && shown === 0 && grow() },
      el("summary", {}, `All ${this.lines.length} rollouts`),
      el("div", { class: "scroll" }, el("table", { class: "data" },
        el("thead", {}, el("tr", {}, ["Rollout", "From", "Action", "Cache", "NFE", "Reward", "State reached"].map((head) => el("th", { scope: "col" }, head)))),
        body)), more);
    return details;
  }

  #row(line, end) {
    const show = () => this.view.select(end);
    return el("tr", {}, el("th", { scope: "row" }, String(line.iteration)), el("td", {}, String(line.from)),
      el("td", { class: "words" }, this.names[line.action]), el("td", {}, line.hit ? "hit" : ""),
      el("td", {}, String(line.nfe)), el("td", {}, formatReward(line.reward)),
      el("td", {}, el("button", { type: "button", click: show }, `Show ${end.state}`)));
  }
}
