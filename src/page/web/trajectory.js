// The text of every state of a search, and every moment on the way there, from the lines of a trace
// (docs/formats.md).

export const MASK = 0, TEXT = 1, SPECIAL = 2, END = 3;

// A cell: its kind, its bytes, who wrote it (an action's number) and at which pass of its trajectory.
const EMPTY = Object.freeze({ kind: MASK, bytes: null, action: -1, when: 0 });
const encoder = new TextEncoder(), decoder = new TextDecoder();

function cellOf(text, action, when) {
  if (text === 0) return EMPTY;
  if (text === null) return { kind: END, bytes: new Uint8Array(), action, when };
  if (text === "") return { kind: SPECIAL, bytes: new Uint8Array(), action, when };
  const bytes = typeof text === "string" ? encoder.encode(text) : Uint8Array.from(text);
  return { kind: TEXT, bytes, action, when };
}

export function maskedWindow(length) {
  return new Array(length).fill(EMPTY);
}

export function countMasks(cells) {
  let masks = 0;
  for (const cell of cells) masks += cell.kind === MASK;
  return masks;
}

// A window in the cells of another tokenizer. The text is the same, byte for byte; a new cell is by whoever wrote its
// first byte, and an end by whoever wrote the end in its place.
export function carry(cells, window) {
  const texts = cells.filter((cell) => cell.kind === TEXT && cell.bytes.length > 0);
  const ends = cells.filter((cell) => cell.kind === END || cell.kind === SPECIAL);
  let text = 0, offset = 0, end = 0;
  const carried = [];
  for (const entry of window) {
    if (typeof entry === "number") {
      for (let i = 0; i < Math.abs(entry); ++i) {
        const before = entry > 0 ? EMPTY : ends[Math.min(end++, ends.length - 1)] ?? EMPTY;
        carried.push(entry > 0 ? EMPTY : cellOf(null, before.action, before.when));
      }
      continue;
    }
    const origin = (entry === "" ? ends[end++] : texts[text]) ?? EMPTY;
    const cell = cellOf(entry, origin.action, origin.when);
    carried.push(cell);
    for (offset += cell.bytes.length; text < texts.length && offset >= texts[text].bytes.length; ++text)
      offset -= texts[text].bytes.length;
  }
  return carried;
}

export class Trajectories {
  // `window`: the cells of the root.
  constructor(window) {
    this.root = maskedWindow(window);
    this.walks = [];
    this.origins = new Map(); // of a state: the walk that reached it first, and after how many of its writes
  }

  knows(state) {
    return state === 0 || this.origins.has(state);
  }

  // Takes a line of a trace; hits have nothing new to tell.
  add(line) {
    if (line.hit || !line.writes || !this.knows(line.from)) return;
    const { cells, texts, passes } = line.writes;
    const walk = {
      from: line.from, action: line.action, window: line.window, entry: null,
      cells, texts, passes: passes ?? cells.map((_, i) => i + 1), length: line.passes,
    };
    this.walks.push(walk);
    let next = 0, masks = countMasks(this.#entry(walk));
    line.path.forEach((state, i) => {
      const last = i + 1 === line.path.length;
      for (; next < cells.length && (last || masks > line.masks[i]); ++next) masks -= texts[next] === 0 ? -1 : 1;
      if (this.knows(state)) return;
      this.origins.set(state, { walk, writes: next, passes: next > 0 ? walk.passes[next - 1] : 0 });
    });
  }

  // The walks from the root to a state: [{walk, writes, passes, before}], `before` the passes up to its start.
  stages(state) {
    const stages = [];
    for (let at = state; at !== 0; at = stages[0].walk.from) stages.unshift({ ...this.origins.get(at) });
    let before = 0;
    for (const stage of stages) {
      stage.before = before;
      before += stage.passes;
    }
    return stages;
  }

  passes(state) {
    return this.stages(state).reduce((sum, stage) => sum + stage.passes, 0);
  }

  // The cells on the way to `state` after `pass` passes, and which action made the last of them (-1 at the root).
  at(state, pass = Infinity) {
    const stages = this.stages(state);
    let stage = stages[0];
    for (const next of stages) if (next.before < pass) stage = next;
    if (!stage || pass <= 0) return { cells: this.root, action: -1 };
    const cells = this.#entry(stage.walk).slice();
    const until = pass - stage.before;
    for (let i = 0; i < stage.writes && stage.walk.passes[i] <= until; ++i) {
      cells[stage.walk.cells[i]] = cellOf(
        stage.walk.texts[i], stage.walk.action, stage.before + stage.walk.passes[i]);
    }
    return { cells, action: stage.walk.action };
  }

  #entry(walk) {
    if (!walk.entry) {
      const { cells } = this.at(walk.from);
      walk.entry = walk.window ? carry(cells, walk.window) : cells;
    }
    return walk.entry;
  }
}

// The texts of the cells up to the first that ends the answer. A character whose bytes are shared by cells is shown in
// the first of them; what is no UTF-8 is shown as U+FFFD.
export function cellTexts(cells) {
  const end = cells.findIndex((cell) => cell.kind === END);
  const shown = end < 0 ? cells : cells.slice(0, end);
  const texts = shown.map((cell) => (cell.kind === TEXT ? decoder.decode(cell.bytes) : ""));
  for (let i = 0; i < shown.length; ++i) {
    if (!texts[i].includes("\uFFFD")) continue;
    let last = i;
    while (last + 1 < shown.length && shown[last + 1].kind === TEXT && texts[last + 1].includes("\uFFFD")) ++last;
    const joined = [];
    for (let k = i; k <= last; ++k) joined.push(...shown[k].bytes);
    texts[i] = decoder.decode(Uint8Array.from(joined));
    for (let k = i + 1; k <= last; ++k) texts[k] = "";
    i = last;
  }
  return texts;
}
