// A search tree on a canvas: levels from top to bottom, zoomed and moved sideways only, so that every row keeps its
// name. Stands tens of thousands of nodes.
import { el, cssValue } from "./dom.js";
import { actionClass, actionColour, actionLetter } from "./actions.js";

const TOP = 26, BOTTOM = 30, LEFT = 58, RIGHT = 44;
const WIDEST = 76; // pixels between neighbouring leaves
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

export function formatReward(reward) {
  return reward === null || reward === undefined ? "none" : String(Math.round(reward * 1000) / 1000);
}

export class TreeView {
  // `names` of the actions; `select` is called with a node.
  constructor(tree, names, select) {
    this.tree = tree;
    this.names = names;
    this.onSelect = select;
    this.selected = null;
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
    this.element = el("div", { class: "tree-view" },
      el("div", { class: "tree-tools", role: "group", "aria-label": "View of the tree" },
        button("Zoom in", "+", () => this.zoom(1.6)), button("Zoom out", "\u2212", () => this.zoom(1 / 1.6)),
        button("Show the whole tree", "All", () => this.fit()),
        button("Go to the best answer", "\u2605 Best", () => tree.best && this.select(tree.best))),
      el("div", { class: "tree-frame" }, this.canvas, this.tip), this.live);
    this.relayout();
    new ResizeObserver(() => this.#resize()).observe(this.canvas);
    for (const media of ["(prefers-color-scheme: dark)", "print"])
      matchMedia(media).addEventListener("change", () => this.#paint());
  }

  // After the tree has grown.
  relayout() {
    Object.assign(this, this.tree.layout());
    this.onBest = new Set(this.tree.bestPath());
    this.canvas.setAttribute("aria-label", `Search tree of ${this.tree.nodes.length} states. ${KEYS}`);
    if (this.fitted ?? true) return this.fit();
    this.#keepInside();
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

  get #room() {
    return Math.max(this.canvas.clientWidth - LEFT - RIGHT, 50);
  }

  fit() {
    this.step = Math.min(this.#room / Math.max(this.leaves - 1, 1), WIDEST);
    this.fitted = true;
    this.#center();
    this.draw();
  }

  #center() {
    const width = (this.leaves - 1) * this.step;
    this.shift = LEFT + Math.max((this.#room - width) / 2, 0);
  }

  zoom(factor, around = LEFT + this.#room / 2) {
    const least = Math.min(this.#room / Math.max(this.leaves - 1, 1), WIDEST);
    const step = Math.min(Math.max(this.step * factor, least), WIDEST);
    this.shift = around - (around - this.shift) * (step / this.step);
    this.step = step;
    this.fitted = step === least;
    this.#keepInside();
    this.draw();
  }

  #keepInside() {
    const width = (this.leaves - 1) * this.step;
    if (width <= this.#room) return this.#center();
    this.shift = Math.min(LEFT, Math.max(this.shift, LEFT + this.#room - width));
  }

  x(node) {
    return this.shift + node.x * this.step;
  }

  y(node) {
    return TOP + node.y * (this.canvas.clientHeight - TOP - BOTTOM);
  }

  select(node, quiet = false) {
    this.selected = node;
    if (this.x(node) < LEFT + 20 || this.x(node) > LEFT + this.#room - 20) {
      this.shift += LEFT + this.#room / 2 - this.x(node);
      this.#keepInside();
    }
    this.live.textContent = describeNode(node, this.names);
    this.draw();
    if (!quiet) this.onSelect(node);
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
    const pen = this.canvas.getContext("2d"), ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (width === 0) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const ink = cssValue("--ink"), faint = cssValue("--rule"), paper = cssValue("--paper"), soft = cssValue("--soft");
    this.colours = this.names.map((_, action) => cssValue(actionColour(action)));
    pen.font = `11px ${cssValue("--sans")}`;
    this.#paintRows(pen, width, faint, soft);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT - 14, 0, width - LEFT + 14, height);
    pen.clip();
    const seen = this.tree.nodes.filter((node) => {
      const x = this.x(node), from = node.parent ? this.x(node.parent) : x;
      return Math.max(x, from) > LEFT - 20 && Math.min(x, from) < width + 20;
    });
    this.#paintEdges(pen, seen);
    this.#paintNodes(pen, seen, ink, paper);
    if (this.step >= 30) this.#paintLabels(pen, seen, soft);
    this.#paintSelected(pen, ink);
    pen.restore();
  }

  #paintRows(pen, width, faint, soft) {
    pen.strokeStyle = faint;
    pen.fillStyle = soft;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const row of this.rows) {
      const y = Math.round(this.y(row)) + 0.5;
      pen.beginPath();
      pen.moveTo(LEFT - 10, y);
      pen.lineTo(width, y);
      pen.stroke();
      pen.fillText(`${Math.round(row.share * 100)} %`, LEFT - 16, y);
    }
    pen.textAlign = "left";
    pen.fillText("masked", 4, 9);
  }

  // Edges of one look in one path: a stroke each would take long for ten thousand.
  #paintEdges(pen, seen) {
    const looks = new Map();
    for (const node of seen) {
      if (!node.parent) continue;
      const kind = !node.expanded ? "tail" : node.hit ? "hit" : "miss";
      const key = `${node.action} ${kind}`;
      if (!looks.has(key)) looks.set(key, { action: node.action, kind, nodes: [] });
      looks.get(key).nodes.push(node);
    }
    const trace = (node) => {
      const x0 = this.x(node.parent), y0 = this.y(node.parent), x = this.x(node), y = this.y(node);
      pen.moveTo(x0, y0);
      pen.bezierCurveTo(x0, (y0 + y) / 2, x, (y0 + y) / 2, x, y);
    };
    pen.lineCap = "butt";
    pen.strokeStyle = cssValue("--best");
    pen.lineWidth = 9;
    pen.beginPath();
    for (const node of seen) if (node.parent && this.onBest.has(node)) trace(node);
    pen.stroke();
    const width = Math.min(Math.max(this.step * 0.6, 0.35), 2.4);
    for (const { action, kind, nodes } of looks.values()) {
      pen.strokeStyle = this.colours[action] ?? cssValue("--ink");
      pen.globalAlpha = kind === "tail" ? 0.55 : 1;
      pen.lineWidth = kind === "tail" ? Math.min(width, 1) : width;
      pen.setLineDash(kind === "hit" ? [5, 4] : []);
      pen.beginPath();
      nodes.forEach(trace);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  radius(node) {
    const most = Math.min(Math.max(this.step * 0.42, 1.6), 9);
    if (node.end) return Math.min(most, 6.5);
    if (!node.expanded) return Math.min(most, 2.2);
    return Math.min(most, 4.5 + 1.4 * Math.log2(1 + node.visits / 2));
  }

  // How full a disc is says how good the rewards are: an end's own, a node's mean.
  #paintNodes(pen, seen, ink, paper) {
    for (const node of seen) {
      const x = this.x(node), y = this.y(node), radius = this.radius(node);
      const colour = this.colours[node.action] ?? ink;
      pen.fillStyle = node.expanded || node.end ? paper : colour;
      pen.strokeStyle = colour;
      pen.lineWidth = radius > 3 ? 1.5 : 1;
      if (node.end && !node.complete) pen.setLineDash([2, 2]);
      pen.beginPath();
      if (node.end) pen.rect(x - radius * 0.88, y - radius * 0.88, radius * 1.76, radius * 1.76);
      else pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
      pen.setLineDash([]);
      const reward = node.end ? node.reward ?? 0 : node.visits > 0 ? node.total / node.visits : 0;
      if (reward > 0 && (node.expanded || node.end)) this.#paintReward(pen, node, x, y, radius, reward, colour);
    }
    const best = this.tree.best;
    if (best) this.#paintStar(pen, this.x(best), this.y(best) + 17, 7, ink);
  }

  #paintReward(pen, node, x, y, radius, reward, colour) {
    const share = Math.min(Math.max(reward, 0), 1);
    pen.fillStyle = colour;
    pen.beginPath();
    if (node.end) {
      const side = radius * 1.76;
      pen.rect(x - side / 2, y + side / 2 - side * share, side, side * share);
    } else {
      pen.moveTo(x, y);
      pen.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
    }
    pen.fill();
  }

  #paintStar(pen, x, y, radius, ink) {
    pen.fillStyle = ink;
    pen.beginPath();
    for (let i = 0; i < 10; ++i) {
      const angle = -Math.PI / 2 + (i * Math.PI) / 5, length = i % 2 === 0 ? radius : radius * 0.42;
      pen.lineTo(x + length * Math.cos(angle), y + length * Math.sin(angle));
    }
    pen.fill();
  }

  #paintLabels(pen, seen, soft) {
    pen.fillStyle = soft;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const node of seen) {
      const x = this.x(node), y = this.y(node), beside = this.radius(node) + (node === this.selected ? 9 : 4);
      if (node.end) pen.fillText(formatReward(node.reward), x + beside, y);
      else if (node.expanded) pen.fillText(`${node.action >= 0 ? actionLetter(node.action) : ""}${node.visits > 1 ? `\u00d7${node.visits}` : ""}`, x + beside, y);
    }
  }

  #paintSelected(pen, ink) {
    if (!this.selected) return;
    pen.strokeStyle = ink;
    pen.lineWidth = document.activeElement === this.canvas ? 3 : 2;
    pen.beginPath();
    pen.arc(this.x(this.selected), this.y(this.selected), this.radius(this.selected) + 5, 0, 2 * Math.PI);
    pen.stroke();
  }

  nodeAt(x, y) {
    let nearest = null, least = 14;
    for (const node of this.tree.nodes) {
      const distance = Math.hypot(this.x(node) - x, this.y(node) - y);
      if (distance < least) [nearest, least] = [node, distance];
    }
    return nearest;
  }

  #grab(event) {
    this.held = { x: event.offsetX, shift: this.shift, moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (!this.held) return this.#hover(this.nodeAt(event.offsetX, event.offsetY), event);
    const by = event.offsetX - this.held.x;
    if (Math.abs(by) > 4) this.held.moved = true;
    if (!this.held.moved) return;
    this.shift = this.held.shift + by;
    this.#keepInside();
    this.draw();
  }

  #release(event) {
    const held = this.held;
    this.held = null;
    const node = held && !held.moved ? this.nodeAt(event.offsetX, event.offsetY) : null;
    if (node) this.select(node);
  }

  #wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 250), event.offsetX);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !this.fitted) {
      event.preventDefault();
      this.shift -= event.deltaX;
      this.#keepInside();
      this.draw();
    }
  }

  #hover(node, event) {
    this.tip.hidden = !node;
    this.canvas.classList.toggle("over-node", !!node);
    if (!node) return;
    this.tip.textContent = describeNode(node, this.names);
    this.tip.style.left = `${Math.min(event.offsetX + 14, this.canvas.clientWidth - 250)}px`;
    this.tip.style.top = `${event.offsetY + 16}px`;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.selected ?? this.tree.root;
    const moves = {
      ArrowUp: () => at.parent, ArrowDown: () => at.children.find((node) => this.onBest.has(node)) ?? at.children[0],
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

// What the colours and lines mean.
export function treeLegend(names) {
  return el("ul", { class: "legend" },
    names.map((name, action) => el("li", {}, el("span", { class: `swatch ${actionClass(action)}` }, actionLetter(action)), name)),
    el("li", {}, el("span", { class: "line" }), "walked"),
    el("li", {}, el("span", { class: "line dashed" }), "cache hit"),
    el("li", {}, el("span", { class: "line thin" }), "rest of a rollout"),
    el("li", {}, el("span", { class: "line best" }), "\u2605 best answer"),
    el("li", {}, "Filling: reward (mean of a node, own of an end \u25a1)"));
}
