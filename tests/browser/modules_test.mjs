// The modules that rebuild trees and texts from traces, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SearchTree } from "../web/tree.js";
import { carry, cellOf, cellTexts, windowAt, MASK, TEXT, END } from "../web/trajectory.js";
import { ticks } from "../web/charts.js";
import { generator, inventTrace } from "./runs.mjs";

const miss = (iteration, from, action, path, masks, cells, texts, more = {}) => ({
  iteration, from, action, draw: 0, hit: false, passes: cells.length, nfe: 0, complete: true, reward: 0, path, masks, writes: { cells, texts }, ...more,
});
const hit = (iteration, from, action, path, masks, reward = 0) => ({
  iteration, from, action, draw: 0, hit: true, passes: 0, nfe: 0, complete: true, reward, path, masks,
});
const shown = (node, pass) => windowAt(node, pass).cells.map((cell) => (cell.kind === MASK ? "_" : new TextDecoder().decode(cell.bytes)));
const authors = (node) => windowAt(node).cells.map((cell) => cell.action);

test("a node's window is its way's writes, and the slider stops in between", () => {
  const tree = new SearchTree(4);
  const end = tree.add(miss(1, 0, 0, [1, 2], [2, 0], [3, 0, 1, 2], ["d", "a", "b", "c"]));
  assert.deepEqual(shown(end), ["a", "b", "c", "d"]);
  assert.deepEqual(shown(end.parent), ["a", "_", "_", "d"]);
  assert.deepEqual(shown(end, 1), ["_", "_", "_", "d"]);
  assert.deepEqual(shown(end, 0), ["_", "_", "_", "_"]);
  assert.equal(end.passes, 4);
  assert.equal(windowAt(end, 0).action, -1);
});

test("a hit goes on along the walk it is known from", () => {
  const tree = new SearchTree(4);
  const end = tree.add(miss(1, 0, 0, [1, 2], [2, 0], [0, 1, 2, 3], ["a", "b", "c", "d"]));
  assert.equal(tree.add(hit(2, 1, 0, [2], [0])), end);
  assert.equal(tree.nodes.length, 3);
  assert.equal(end.hit, true);
});

test("where paths meet, both stay, each with its own authors", () => {
  const tree = new SearchTree(4);
  tree.add(miss(1, 0, 0, [1, 2], [2, 0], [0, 1, 2, 3], ["a", "b", "c", "d"]));
  tree.add(miss(2, 0, 1, [1, 3], [2, 0], [1, 0, 3, 2], ["b", "a", "x", "y"])); // the other model comes to the same state
  const other = tree.add(hit(3, 1, 1, [3], [0]));
  const twins = tree.byState.get(1);
  assert.equal(twins.length, 2);
  assert.deepEqual(twins.map(authors), [[0, 0, -1, -1], [1, 1, -1, -1]]);
  assert.equal(other.parent, twins[0], "the one that had not tried this action");
  assert.deepEqual(authors(other), [0, 0, 1, 1], "its own beginning, the known walk's end");
  assert.equal(other.passes, 4);
});

test("cells that come several at a pass, and masks that come back", () => {
  const tree = new SearchTree(3);
  const end = tree.add(miss(1, 0, 0, [1], [0], [0, 1, 0, 0, 2], ["a", "b", 0, "c", "d"], { writes: { cells: [0, 1, 0, 0, 2], texts: ["a", "b", 0, "c", "d"], passes: [1, 1, 2, 3, 3] } }));
  assert.deepEqual(shown(end, 1), ["a", "b", "_"]);
  assert.deepEqual(shown(end, 2), ["_", "b", "_"]);
  assert.deepEqual(shown(end), ["c", "b", "d"]);
  assert.equal(end.passes, 3);
});

test("a text that is opened again goes on from there, and keeps its authors", () => {
  const tree = new SearchTree(5);
  tree.add(miss(1, 0, 0, [1], [0], [0, 1, 2, 3, 4], ["a", "\n", "b", null, null]));
  const line = tree.add(miss(2, 7, 1, [8], [0], [2], ["c"], { opened: { end: 1, kind: "line", cells: [2] } }));
  assert.deepEqual(shown(line), ["a", "\n", "c", "", ""]);
  assert.deepEqual(windowAt(line).cells.map((cell) => cell.action), [0, 0, 1, 0, 0]);
  const longer = tree.add(miss(3, 9, 1, [10], [0], [2, 3], ["d", "e"], { opened: { end: 1, kind: "borrowed", cells: [2], insert: [3, 1] } }));
  assert.deepEqual(shown(longer), ["a", "\n", "d", "e", ""]);
  assert.deepEqual(windowAt(longer).cells.map((cell) => cell.action), [0, 0, 1, 1, 0]);
  assert.equal(longer.parent.opened.kind, "borrowed");
  assert.equal(longer.parent.parent.state, 1);
});

test("what several models write is each one's own, also behind a change of tokenizer", () => {
  const tree = new SearchTree(3);
  const writes = { cells: [0, 1, 1], texts: ["a", "b", "c"], passes: [1, 1, 3], by: [2, 3, 3], windows: [[2, ["ab", 1]]] };
  const end = tree.add(miss(1, 0, 0, [1], [0], [], [], { writes }));
  assert.deepEqual(shown(end, 1), ["a", "b", "_"]);
  assert.deepEqual(shown(end), ["ab", "c"]);
  assert.deepEqual(windowAt(end).cells.map((cell) => cell.action), [2, 3]);
});

test("words of another tokenizer keep their authors, byte for byte", () => {
  const cells = [cellOf("foo", 0, 1), cellOf("bar", 1, 2), cellOf(0), cellOf("\u00e9", 0, 3), cellOf(null, 1, 4)];
  const carried = carry(cells, ["fo", "obar", 1, [195], [169], -1]);
  assert.deepEqual(carried.map((cell) => [cell.kind, cell.action, cell.when]),
    [[TEXT, 0, 1], [TEXT, 0, 1], [MASK, -1, 0], [TEXT, 0, 3], [TEXT, 0, 3], [END, 1, 4]]);
  assert.deepEqual(cellTexts(carried), ["fo", "obar", "", "\u00e9", ""]);
});

test("half a character beside a mask is shown as what it is", () => {
  assert.deepEqual(cellTexts([cellOf([195], 0, 1), cellOf(0), cellOf("a", 0, 2)]), ["\uFFFD", "", "a"]);
});

test("visits and means are those of the rollouts below", () => {
  const tree = new SearchTree(4);
  tree.add(miss(1, 0, 0, [1, 2], [2, 0], [0, 1, 2, 3], ["a", "b", "c", "d"], { reward: 1 }));
  tree.add(miss(2, 1, 1, [3], [0], [2, 3], ["x", "y"], { reward: 0.5 }));
  const child = tree.byState.get(1)[0];
  assert.deepEqual([child.visits, child.total, child.best], [2, 1.5, 1]);
  assert.equal(tree.root.visits, 2);
  assert.equal(tree.best.state, 2);
  assert.deepEqual(tree.bestPath().map((node) => node.state), [0, 1, 2]);
});

test("the best is the first of equals, and the complete one before", () => {
  const tree = new SearchTree(2);
  tree.add(miss(1, 0, 0, [1], [1], [0], ["a"], { reward: 1, complete: false }));
  tree.add(miss(2, 0, 1, [2], [0], [0, 1], ["b", "c"], { reward: 1 }));
  tree.add(miss(3, 0, 2, [3], [0], [0, 1], ["d", "e"], { reward: 1 }));
  tree.add(miss(4, 0, 3, [4], [0], [0, 1], ["d", "f"], { reward: null }));
  assert.equal(tree.best.state, 2);
});

test("a layout has every leaf at a place of its own and parents between their children", () => {
  const tree = new SearchTree(64);
  for (const line of inventTrace({ window: 64, rollouts: 500, seed: 3 })) tree.add(line);
  const { leaves, rows } = tree.layout();
  const at = tree.nodes.filter((node) => node.children.length === 0).map((node) => node.x);
  assert.equal(new Set(at).size, leaves);
  for (const node of tree.nodes.filter((one) => one.children.length > 0)) {
    const xs = node.children.map((child) => child.x);
    assert.ok(node.x >= Math.min(...xs) && node.x <= Math.max(...xs));
    for (const child of node.children) assert.ok(child.y > node.y);
  }
  assert.deepEqual(rows.map((row) => Math.round(100 * row.share)), [100, 88, 75, 63, 50, 38, 25, 13, 0]);
});

test("any lines that the reader lets pass can be drawn", () => {
  const random = generator(7), pick = (list) => list[random(list.length)];
  const text = () => pick(["a", "\u00e9", "", null, 0, [195], [169], [60, 98], " "]);
  for (let round = 0; round < 300; ++round) {
    const tree = new SearchTree(4), states = [0];
    for (let i = 1; i < 12; ++i) {
      const isHit = i > 1 && random(3) === 0, path = [...Array(1 + random(3))].map(() => (isHit ? pick(states) : random(9)));
      const cells = [...Array(random(6))].map(() => random(4));
      const line = {
        iteration: i, from: pick(states), action: random(2), draw: random(2), hit: isHit, passes: random(5), nfe: random(50), complete: random(2) === 0,
        reward: pick([null, 0, 0.5, 1, -3, 1e300]), path, masks: path.map(() => random(6)),
        ...(!isHit && { writes: { cells, texts: cells.map(text), ...(random(2) && { passes: cells.map(() => random(6)) }) } }),
        ...(!isHit && random(3) === 0 && { window: [...Array(random(5))].map(() => pick(["a", [195], "", 2, -2, 1])) }),
      };
      tree.add(line);
      states.push(...path);
    }
    tree.layout();
    for (const node of tree.nodes) {
      for (const pass of [0, 1, 3, Infinity]) cellTexts(windowAt(node, pass).cells);
      assert.ok(node.passes >= 0 && Number.isFinite(node.x) && Number.isFinite(node.y));
    }
  }
});

test("ticks are round", () => {
  assert.deepEqual(ticks(0, 1, 6), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0.13, 0.29, 6), [0.15, 0.2, 0.25]);
});
