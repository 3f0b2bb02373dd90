// The text at every node of a search tree, and at every moment on the way there.

export const MASK = 0, TEXT = 1, SPECIAL = 2, END = 3;

// A cell: its kind, its bytes, who wrote it (an action's number) and at which pass of its trajectory, and whether it is
// a mask that waits for the masks of earlier blocks.
const EMPTY = Object.freeze({ kind: MASK, bytes: new Uint8Array(), action: -1, when: 0, waiting: false });
const NOTHING = new Uint8Array();
const encoder = new TextEncoder(), decoder = new TextDecoder();

// `text` as traces write it (docs/formats.md).
export function cellOf(text, action, when) {
  if (text === 0) return EMPTY;
  if (text === null) return { kind: END, bytes: NOTHING, action, when };
  if (text === "") return { kind: SPECIAL, bytes: NOTHING, action, when };
  const bytes = typeof text === "string" ? encoder.encode(text) : Uint8Array.from(text);
  return { kind: TEXT, bytes, action, when };
}

export function maskedWindow(length) {
  return new Array(length).fill(EMPTY);
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

// A finished window with cells masked again, and masks in between that push others out at its end.
function reopen(cells, { cells: masked, insert }) {
  const opened = cells.slice();
  for (const cell of masked) if (cell < opened.length) opened[cell] = EMPTY;
  if (insert) opened.splice(insert[0], 0, ...maskedWindow(insert[1]));
  return opened.slice(0, cells.length);
}

// The cells on the way to a node of a SearchTree after `pass` passes, and what the last of these passes did: which action
// it was (-1 at the root), how many cells each author wrote, and how many were masked again.
export function windowAt(node, pass = Infinity) {
  const way = [];
  for (let at = node; at.parent; at = at.parent) way.unshift(at);
  const wrote = new Map();
  let cells = maskedWindow((way[0]?.parent ?? node).masks), action = -1, masked = 0;
  for (const { walk, begin, finish, parent, opened } of way) {
    if (parent.passes >= pass) break;
    if (opened) cells = reopen(cells, opened);
    if (begin === 0 && walk.window) cells = carry(cells, walk.window);
    const before = parent.passes - (begin > 0 ? walk.passes[begin - 1] : 0);
    for (let i = begin; i < finish && before + walk.passes[i] <= pass; ++i) {
      if (walk.windows.has(i)) cells = carry(cells, walk.windows.get(i));
      const author = walk.by ? walk.by[i] : walk.action, when = before + walk.passes[i];
      if (walk.cells[i] < cells.length) cells[walk.cells[i]] = cellOf(walk.texts[i], author, when);
      if (when !== pass) continue;
      if (walk.texts[i] === 0) ++masked;
      else wrote.set(author, (wrote.get(author) ?? 0) + 1);
    }
    action = walk.action;
  }
  return { cells, action, wrote, masked };
}

// "3 cells by dream, 1 by llada": what one pass did.
export function passInWords({ wrote, masked }, names) {
  const parts = [...wrote].sort((a, b) => b[1] - a[1])
    .map(([author, count], i) => `${count}${i > 0 ? "" : count === 1 ? " cell" : " cells"} by ${names[author] ?? "nobody"}`);
  if (masked > 0) parts.push(`${masked} masked again`);
  return parts.join(", ");
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
