// A search tree from the lines of a trace, and where its nodes stand in a picture.

export class SearchTree {
  // `window`: the masks of the root.
  constructor(window) {
    this.window = window;
    this.nodes = [];
    this.byState = new Map();
    this.best = null; // the end of the best rollout so far
    this.rollouts = 0;
    this.root = this.#make(0, null, -1, window);
  }

  #make(state, parent, action, masks) {
    const node = {
      state, parent, action, masks, children: [],
      expanded: parent === null, // chosen by the search; others were only passed on the way to an end
      hit: false, // expanded at no cost
      visits: 0, total: 0, best: null, // of the rollouts at and below it
      end: false, complete: true, reward: null, verdict: null, iteration: 0,
      x: 0, y: 0,
    };
    this.nodes.push(node);
    this.byState.set(state, node);
    if (parent) parent.children.push(node);
    return node;
  }

  // Takes a line of a trace. Where two paths meet, the first stays.
  add(line) {
    const from = this.byState.get(line.from);
    if (!from) return;
    ++this.rollouts;
    let at = from;
    line.path.forEach((state, i) => {
      at = this.byState.get(state) ?? this.#make(state, at, line.action, line.masks[i]);
    });
    const child = this.byState.get(line.path[0]);
    if (!child.expanded) {
      child.expanded = true;
      child.hit = line.hit;
      child.iteration = line.iteration;
    }
    const end = at;
    end.end = true;
    end.complete = line.complete;
    end.reward = line.reward;
    end.iteration ||= line.iteration;
    if (line.verdict) end.verdict = line.verdict;
    this.#backUp(child, line.reward);
    if (line.reward !== null && (this.best === null || line.reward > this.best.reward ||
        (line.reward === this.best.reward && end.complete && !this.best.complete))) this.best = end;
  }

  #backUp(child, reward) {
    for (let node = child; node; node = node.parent) {
      ++node.visits;
      node.total += Math.min(Math.max(reward ?? 0, 0), 1);
      if (reward !== null && (node.best === null || reward > node.best)) node.best = reward;
    }
  }

  // The nodes from the root to the best end.
  bestPath() {
    const path = [];
    for (let node = this.best; node; node = node.parent) path.unshift(node);
    return path;
  }

  // Leaves side by side, parents above the middle of their children: x in leaves, y from 0 (all masked) to 1. Levels
  // that few nodes share stand at equal distances; where every pass is a level, in proportion to the masks.
  layout() {
    const levels = [...new Set(this.nodes.map((node) => node.masks))].sort((a, b) => b - a);
    const even = levels.length <= 16;
    const rank = new Map(levels.map((masks, i) => [masks, i / Math.max(levels.length - 1, 1)]));
    const open = [this.root], order = [];
    while (open.length > 0) {
      const node = open.pop();
      order.push(node);
      for (let i = node.children.length - 1; i >= 0; --i) open.push(node.children[i]);
    }
    let leaves = 0;
    for (const node of order) {
      node.y = even ? rank.get(node.masks) : 1 - node.masks / Math.max(this.window, 1);
      if (node.children.length === 0) node.x = leaves++;
    }
    for (const node of order.reverse()) {
      if (node.children.length > 0) node.x = (node.children[0].x + node.children.at(-1).x) / 2;
    }
    const rows = even ? levels : [1, 0.8, 0.6, 0.4, 0.2, 0].map((share) => share * this.window);
    return {
      leaves,
      rows: rows.map((masks) => ({ share: masks / Math.max(this.window, 1), y: even ? rank.get(masks) : 1 - masks / this.window })),
    };
  }
}
