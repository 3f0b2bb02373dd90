// The window of a walk on its way, from a state event.
import { MASK, carry } from "./trajectory.js";

export function countMasks(cells) {
  return cells.reduce((masks, cell) => masks + (cell.kind === MASK), 0);
}

// Under block decoding, masks behind the first `active` ones wait until these are filled.
function inBlocks(cells, active) {
  let masks = 0;
  return cells.map((cell) => (cell.kind === MASK && ++masks > active ? { ...cell, waiting: true } : cell));
}

// The cells of a state event, with their authors. `before`: those of the last event of the same walk. What the pass
// itself wrote has as its time the number of cells that are filled, what came since `before` one less: several passes
// may lie between two events.
export function pictured(state, before) {
  const cells = carry([], state.window);
  const filled = cells.length - countMasks(cells), written = new Set(state.written ?? []);
  const time = (at) => {
    if (written.has(at)) return filled;
    if (before?.[at] && before[at].kind !== MASK) return Math.min(before[at].when, Math.max(filled - 1, 1));
    return before ? Math.max(filled - 1, 1) : 1;
  };
  let at = 0;
  for (const [action, count] of state.by) {
    for (const end = at + count; at < end && at < cells.length; ++at) {
      if (cells[at].kind !== MASK) cells[at] = { ...cells[at], action, when: time(at) };
    }
  }
  return inBlocks(cells, state.active ?? Infinity);
}

// What the pass of a state event did, for passInWords().
export function passOf(state, cells) {
  const wrote = new Map();
  let masked = 0;
  for (const at of state.written ?? []) {
    const cell = cells[at];
    if (!cell) continue;
    if (cell.kind === MASK) ++masked;
    else wrote.set(cell.action, (wrote.get(cell.action) ?? 0) + 1);
  }
  return { wrote, masked };
}
