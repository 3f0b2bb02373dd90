// A search tree from the lines of a trace (docs/formats.md), and where its nodes stand in a picture.

// The writes of a line, and after how many of them each state of its path was reached.
function walkOf(line, masks) {
  const { cells, texts, passes, by, windows } = line.writes;
  const walk = {
    action: line.action, window: line.window, cells, texts, passes: passes ?? cells.map((_, i) => i + 1),
    by: by ?? null, // of several models: whose each write is
    windows: new Map(windows ?? []), // the window in other cells, by how many writes come before it
  };
  const masksIn = (window) => window.reduce((sum, entry) => sum + (entry > 0 ? entry : 0), 0);
  let left = line.window ? masksIn(line.window) : masks, next = 0;
  walk.marks = line.path.map((_, i) => {
    const last = i + 1 === line.path.length;
    for (; next < cells.length && (last || left > line.masks[i]); ++next) {
      if (walk.windows.has(next)) left = masksIn(walk.windows.get(next));
      left -= texts[next] === 0 ? -1 : 1;
    }
    return next;
  });
  return walk;
}

// Of a hit whose walk no line told.
const UNKNOWN = { window: null, cells: [], texts: [], passes: [], by: null, windows: new Map(), marks: [] };

// Where the way to `node` is after `pass` passes: at a node, or on the line that leads to one, and how far along it. One
// pass may go beyond several nodes.
export function placeAt(node, pass) {
  let at = node, next = null;
  while (at.parent && at.passes > pass) [at, next] = [at.parent, at];
  if (next === null || at.passes >= pass) return { node: at, share: 1 };
  return { node: next, share: (pass - at.passes) / (next.passes - at.passes) };
}

export class SearchTree {
  // `window`: the masks of the root.
  constructor(window) {
    this.window = window;
    this.nodes = [];
    this.byState = new Map(); // several nodes where paths meet
    this.known = new Map(); // (state, action): the walk that passed there, and at which place of its path it went on
    this.best = null; // the end of the best rollout so far
    this.rollouts = 0;
    this.root = this.#make({ state: 0, parent: null, masks: window });
  }

  #make({ state, parent, masks, action = -1, draw = 0, walk = null, begin = 0, finish = 0 }) {
    const pass = (writes) => (writes > 0 ? walk.passes[writes - 1] : 0);
    const node = {
      state, parent, action, draw, masks, children: [],
      walk, begin, finish, // the writes of `walk` that lead here from the parent
      passes: parent ? parent.passes + Math.max(pass(finish) - pass(begin), 0) : 0, // from the root
      expanded: parent === null, // chosen by the search; others were only passed on the way to an end
      hit: false, // expanded at no cost
      visits: 0, total: 0, best: null, // of the rollouts at and below it
      end: false, complete: true, reward: null, iteration: 0,
      x: 0, y: 0,
    };
    this.nodes.push(node);
    if (!this.byState.has(state)) this.byState.set(state, []);
    this.byState.get(state).push(node);
    if (parent) parent.children.push(node);
    return node;
  }

  // A line names the state that was expanded. Of nodes that share it, the first that was not expanded so before.
  #expanded(line) {
    const nodes = this.byState.get(line.from) ?? [];
    const open = (node) => node.expanded &&
      !node.children.some((child) => child.expanded && child.action === line.action && child.draw === line.draw);
    return nodes.find(open) ?? nodes[0];
  }

  // A line that begins with a text opened again: the opened window is a node below the text's end.
  #open(line) {
    if (!line.opened || this.byState.has(line.from)) return;
    const end = this.byState.get(line.opened.end)?.[0];
    if (!end) return;
    const masks = line.opened.cells.length + (line.opened.insert?.[1] ?? 0);
    const node = this.#make({ state: line.from, parent: end, masks, walk: UNKNOWN });
    Object.assign(node, { opened: line.opened, expanded: true });
  }

  // Takes the next line; gives the node that its rollout ended at, or null for a line that belongs to another tree.
  add(line) {
    this.#open(line);
    const from = this.#expanded(line);
    if (!from) return null;
    ++this.rollouts;
    const way = this.#follow(from, line);
    const child = way[0], last = way.at(-1);
    child.expanded = true;
    child.hit = line.hit;
    child.iteration = line.iteration;
    Object.assign(last, { end: true, complete: line.complete, reward: line.reward, iteration: last.iteration || line.iteration });
    this.#backUp(child, line.reward);
    if (line.reward !== null && (this.best === null || line.reward > this.best.reward ||
        (line.reward === this.best.reward && last.complete && !this.best.complete))) this.best = last;
    return last;
  }

  // The nodes of the line's path below `from`: those that are there, else new ones.
  #follow(from, line) {
    const there = from.children.find((child) => !child.expanded && child.action === line.action && child.state === line.path[0]);
    if (there) {
      const way = [there];
      while (way.length < line.path.length && way.at(-1).children.length > 0) way.push(way.at(-1).children[0]);
      return way;
    }
    const { walk, at } = line.hit
      ? this.known.get(`${line.from} ${line.action}`) ?? { walk: { ...UNKNOWN, action: line.action }, at: 0 }
      : { walk: walkOf(line, from.masks), at: 0 };
    const way = [];
    line.path.forEach((state, i) => {
      const parent = way.at(-1) ?? from, finish = walk.marks[at + i] ?? 0, begin = walk.marks[at + i - 1] ?? 0;
      way.push(this.#make({ state, parent, masks: line.masks[i], action: line.action, draw: line.draw, walk, begin, finish }));
      if (!line.hit && line.draw === 0 && line.complete) this.#remember(parent.state, line.action, walk, i);
    });
    return way;
  }

  #remember(state, action, walk, at) {
    const key = `${state} ${action}`;
    if (!this.known.has(key)) this.known.set(key, { walk, at });
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
  // stand at equal distances, and what a budget cut between them; where every pass is a level, in proportion to masks.
  layout() {
    const whole = this.nodes.filter((node) => node.complete || !node.end);
    const levels = [...new Set([...whole.map((node) => node.masks), 0])].sort((a, b) => b - a);
    const even = levels.length <= 16;
    const height = (masks) => {
      if (!even) return 1 - masks / Math.max(this.window, 1);
      const below = Math.max(levels.findIndex((level) => level <= masks), 1);
      const [high, low] = [levels[below - 1], levels[below] ?? 0];
      return (below - 1 + (high - masks) / Math.max(high - low, 1)) / Math.max(levels.length - 1, 1);
    };
    const open = [this.root], order = [];
    while (open.length > 0) {
      const node = open.pop();
      order.push(node);
      for (let i = node.children.length - 1; i >= 0; --i) open.push(node.children[i]);
    }
    let leaves = 0;
    for (const node of order) {
      node.y = height(node.masks);
      if (node.children.length === 0) node.x = leaves++;
    }
    for (const node of order.reverse()) {
      if (node.children.length > 0) node.x = (node.children[0].x + node.children.at(-1).x) / 2;
    }
    const rows = even ? levels : [1, 0.8, 0.6, 0.4, 0.2, 0].map((share) => share * this.window);
    return { leaves, rows: rows.map((masks) => ({ share: masks / Math.max(this.window, 1), y: height(masks) })) };
  }
}
