// Which curves of a figure run over each other, and what is said and done about it.

const spot = (point) => `${point.x} ${point.y}`;

// The pieces of a curve between neighbouring points, in order; a curve of one point is a piece by itself.
function piecesOf({ points }) {
  const sorted = [...points].sort((a, b) => a.x - b.x);
  if (sorted.length === 1) return [[sorted[0], sorted[0]]];
  return sorted.slice(1).map((point, i) => [sorted[i], point]);
}

// By series and piece: the numbers of all series that have the same piece, itself included.
export function sharedPieces(series) {
  const pieces = series.map(piecesOf), owners = new Map();
  const key = ([from, to]) => `${spot(from)} ${spot(to)}`;
  pieces.forEach((list, number) => list.forEach((piece) => {
    if (!owners.has(key(piece))) owners.set(key(piece), []);
    owners.get(key(piece)).push(number);
  }));
  return pieces.map((list) => list.map((piece) => ({ from: piece[0], to: piece[1], owners: owners.get(key(piece)) })));
}

// Series in an order in which those that share pieces are neighbours.
export function besideEachOther(shared) {
  const order = [];
  const place = (number) => {
    if (order.includes(number)) return;
    order.push(number);
    for (const { owners } of shared[number]) owners.forEach(place);
  };
  shared.forEach((_, number) => place(number));
  return order;
}

const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

// A sentence for each set of series that share pieces: where they do.
export function coincidences(series, shared = sharedPieces(series)) {
  const sets = new Map();
  shared.forEach((pieces, number) => pieces.forEach(({ from, to, owners }) => {
    if (owners.length < 2 || owners[0] !== number) return;
    const set = owners.join(" ");
    if (!sets.has(set)) sets.set(set, { owners, ranges: [], pieces: 0 });
    const { ranges } = sets.get(set);
    if (ranges.at(-1)?.[1] === from.x) ranges.at(-1)[1] = to.x;
    else ranges.push([from.x, to.x]);
    ++sets.get(set).pieces;
  }));
  return [...sets.values()].map(({ owners, ranges, pieces }) => {
    const names = listed(owners.map((number) => series[number].name));
    const whole = owners.every((number) => shared[number].length === pieces);
    const where = whole ? "" : ` from ${listed(ranges.map(([from, to]) => `${from} to ${to}`))}`;
    return `${names} coincide${where}.`;
  });
}
