// A search tree that is looked at: with the pointer, with the keyboard, and by those who only hear of it.
import { el } from "./dom.js";
import { actionClass, actionLetter } from "./actions.js";
import { TreePicture, formatReward } from "./tree_picture.js";

const KEYS = "Arrow keys move between nodes, Home is the root, End the best answer, plus and minus zoom, 0 shows all.";

export function describeNode(node, names) {
  const origin = node.opened ? `opened again (${node.opened.kind})` : `by ${names[node.action]}`;
  const parts = [node.parent ? `State ${node.state} ${origin}` : "Root", `${node.masks} masks left`];
  if (node.hit) parts.push("known before, at no cost");
  if (node.visits > 0) parts.push(`visits ${node.visits}, mean reward ${(node.total / node.visits).toFixed(3)}`);
  if (node.end) parts.push(`${node.complete ? "end" : "cut by the budget"}, reward ${formatReward(node.reward)}`);
  else if (!node.expanded) parts.push("passed on the way");
  return parts.join(", ");
}

export class TreeView {
  // `names` of the actions; `select` is called with a node. `tools` and `element` are the page's to place.
  constructor(tree, names, select) {
    this.tree = tree;
    this.names = names;
    this.onSelect = select;
    this.selected = null;
    this.place = null;
    this.fitted = true;
    this.canvas = el("canvas", {
      class: "tree-canvas", tabindex: 0, role: "application", "aria-roledescription": "search tree",
      "aria-label": `Search tree of ${tree.nodes.length} states. ${KEYS}`,
      keydown: (event) => this.#key(event),
      pointerdown: (event) => this.#grab(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#release(event),
      pointerleave: () => this.#hover(null),
      wheel: (event) => this.#wheel(event),
    });
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
    this.live = el("p", { class: "visually-hidden", "aria-live": "polite" });
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    const button = (label, text, click) => el("button", { type: "button", "aria-label": `${text} ${label}`, title: label, click }, text);
    this.tools = el("div", { class: "tree-tools", role: "group", "aria-label": "View of the tree" },
      button("Zoom in", "+", () => this.zoom(1.6)), button("Zoom out", "\u2212", () => this.zoom(1 / 1.6)),
      button("Show the whole tree", "All", () => this.fit()),
      button("Go to the best answer", "\u2605 Best", () => tree.best && this.select(tree.best)));
    this.element = el("div", { class: "tree-view" }, el("div", { class: "tree-frame" }, this.canvas, this.tip), this.live);
    this.picture = new TreePicture(this.canvas, tree, names);
    new ResizeObserver(() => this.#resize()).observe(this.canvas);
    for (const media of ["(prefers-color-scheme: dark)", "print"])
      matchMedia(media).addEventListener("change", () => this.#paint());
  }

  // After the tree has grown.
  relayout() {
    this.picture.relayout();
    this.canvas.setAttribute("aria-label", `Search tree of ${this.tree.nodes.length} states. ${KEYS}`);
    if (this.fitted) return this.fit();
    this.picture.keepInside();
    this.draw();
  }

  #resize() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0) return;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.fit();
  }

  fit() {
    this.fitted = true;
    this.picture.fit();
    this.draw();
  }

  zoom(factor, around) {
    this.picture.zoom(factor, around);
    this.fitted = this.picture.step === this.picture.least;
    this.draw();
  }

  #moveTo(shift) {
    this.picture.move(shift);
    this.draw();
  }

  select(node, quiet = false) {
    this.selected = node;
    this.place = null;
    this.picture.reveal(node);
    this.live.textContent = describeNode(node, this.names);
    this.draw();
    if (!quiet) this.onSelect(node);
  }

  // Marks a placeAt(): where the text that is shown stands.
  mark(place) {
    this.place = place;
    this.draw();
  }

  draw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.#paint();
    });
  }

  #paint() {
    this.picture.paint(this.selected, this.place);
  }

  #grab(event) {
    this.held = { x: event.offsetX, shift: this.picture.shift, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (!this.held) return this.#hover(this.picture.nodeAt(event.offsetX, event.offsetY), event);
    const by = event.offsetX - this.held.x;
    if (Math.abs(by) > 4) this.held.moved = true;
    if (this.held.moved) this.#moveTo(this.held.shift + by);
  }

  #release(event) {
    const held = this.held;
    this.held = null;
    const node = held && !held.moved ? this.picture.nodeAt(event.offsetX, event.offsetY) : null;
    if (node) this.select(node);
  }

  #wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 250), event.offsetX);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !this.fitted) {
      event.preventDefault();
      this.#moveTo(this.picture.shift - event.deltaX);
    }
  }

  #hover(node, event) {
    this.tip.hidden = !node;
    this.canvas.classList.toggle("over-node", !!node);
    if (!node) return;
    this.tip.textContent = describeNode(node, this.names);
    this.tip.style.left = `${Math.max(Math.min(event.offsetX + 14, this.canvas.clientWidth - 250), 4)}px`;
    this.tip.style.top = `${event.offsetY + 16}px`;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.selected ?? this.tree.root;
    const moves = {
      ArrowUp: () => at.parent, ArrowDown: () => at.children.find((node) => this.picture.onBest.has(node)) ?? at.children[0],
      ArrowLeft: () => this.#neighbour(at, -1), ArrowRight: () => this.#neighbour(at, 1),
      Home: () => this.tree.root, End: () => this.tree.best,
    };
    const views = { "+": () => this.zoom(1.6), "=": () => this.zoom(1.6), "-": () => this.zoom(1 / 1.6), 0: () => this.fit() };
    const act = moves[event.key] ?? views[event.key];
    if (!act) return;
    event.preventDefault();
    const node = act();
    if (node) this.select(node);
  }

  // The next node on the same level.
  #neighbour(node, step) {
    let nearest = null;
    for (const other of this.tree.nodes) {
      const ahead = (other.x - node.x) * step;
      if (other.masks !== node.masks || ahead <= 0) continue;
      if (!nearest || ahead < (nearest.x - node.x) * step) nearest = other;
    }
    return nearest;
  }
}

// What the colours and lines mean; `actions`: the numbers of those that are named.
export function treeLegend(names, actions = [...names.keys()]) {
  return el("ul", { class: "legend" },
    actions.map((action) => el("li", {}, el("span", { class: `swatch ${actionClass(action)}` }, actionLetter(action)), names[action])),
    el("li", {}, el("span", { class: "line" }), "walked"),
    el("li", {}, el("span", { class: "line dashed" }), "cache hit"),
    el("li", {}, el("span", { class: "line thin" }), "rest of a rollout"),
    el("li", {}, el("span", { class: "line best" }), "\u2605 best answer"),
    el("li", {}, "\u25c6 where the text stands"),
    el("li", {}, "Filling: reward (mean of a node, own of an end \u25a1)"));
}
