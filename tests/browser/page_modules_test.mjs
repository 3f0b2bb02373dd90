// What the pages work out before they draw: addresses, curves that coincide, what a pass did, how fast it went.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, findAddress } from "../web/address.js";
import { aloneRequest } from "../web/alone_view.js";
import { besideEachOther, coincidences, sharedPieces } from "../web/curves.js";
import { passOf, pictured } from "../web/live_state.js";
import { clockText, speedText } from "../web/solve_numbers.js";
import { spelledAction } from "../web/tables.js";
import { SearchTree, placeAt } from "../web/tree.js";
import { TreePicture } from "../web/tree_picture.js";
import { passInWords, windowAt } from "../web/trajectory.js";
import { ATTACKS } from "./attacks.mjs";
import { inventTrace } from "./runs.mjs";

const runOf = (name, ids, configurations = ["umf", "pair"]) => (
  { name, problems: ids.map((id) => ({ id })), configurations: configurations.map((one) => ({ name: one })) });

test("every problem has an address of its own, whatever it is called", () => {
  const ids = [...ATTACKS, "HumanEval/12", "a@b", "100 %", "%41", "a/b@umf", "caf\u00e9 \ud83d\ude00", " ", "#", "?x=1&y"];
  for (const runs of [[runOf("run", ids)], [runOf("run", ids), runOf("a/b@c", ids)]]) {
    const seen = new Set();
    for (const run of runs) {
      for (const problem of run.problems) {
        for (const configuration of [0, 1]) {
          const address = addressOf(runs, run, problem, configuration);
          assert.ok(!seen.has(address), address);
          seen.add(address);
          // As a browser gives it back.
          const { hash } = new URL(`file:///page.html${address}`);
          const found = findAddress(runs, hash);
          assert.ok(found.run === run && found.problem === problem && found.configuration === configuration, address);
        }
      }
    }
  }
});

test("an address that somebody types is understood, and one that leads nowhere is not", () => {
  const runs = [runOf("first", ["HumanEval/12", "x%y"]), runOf("second", ["HumanEval/12", "only"])];
  const found = (text) => {
    const { run, problem, configuration } = findAddress(runs, text);
    return [run.name, problem.id, configuration];
  };
  assert.deepEqual(found("#HumanEval/12"), ["first", "HumanEval/12", 0]);
  assert.deepEqual(found("#HumanEval/12@pair"), ["first", "HumanEval/12", 1]);
  assert.deepEqual(found("#second/HumanEval%2F12"), ["second", "HumanEval/12", 0]);
  assert.deepEqual(found("#second/HumanEval/12@pair"), ["second", "HumanEval/12", 1]);
  assert.deepEqual(found("#only"), ["second", "only", 0]);
  assert.deepEqual(found("#x%y"), ["first", "x%y", 0], "no encoding, and taken as it is");
  for (const nowhere of ["#", "#humaneval/12", "#third/only", "#only@nothing", "#first/only", "#%", "#@", "#/", "#/only@"])
    assert.equal(findAddress(runs, nowhere), null, nowhere);
});

const series = (name, points) => ({ name, points: points.map(([x, y]) => ({ x, y })) });

test("curves that coincide are found, where they do", () => {
  const list = [series("a", [[96, 0.5], [192, 0.6], [384, 0.7]]), series("b", [[96, 0.4], [192, 0.5], [384, 0.6]]),
    series("c", [[384, 0.7], [96, 0.5], [192, 0.6]]), series("d", [[96, 0.3], [192, 0.6], [384, 0.7]])];
  assert.deepEqual(coincidences(list), ["a and c coincide from 96 to 192.", "a, c and d coincide from 192 to 384."]);
  assert.deepEqual(coincidences([list[0], list[2]]), ["a and c coincide."]);
  assert.deepEqual(coincidences([list[0], list[1]]), []);
  assert.deepEqual(coincidences([series("one", [[96, 1]]), series("two", [[96, 1]]), series("other", [[192, 1]])]), ["one and two coincide."]);
  assert.deepEqual(coincidences([series("part", [[96, 0.5], [192, 0.6]]), list[0]]), ["part and a coincide from 96 to 192."]);
});

test("curves that coincide have their markers beside each other", () => {
  const flat = (name) => series(name, [[1, 0], [2, 0]]);
  const list = [flat("a"), series("b", [[1, 1], [2, 1]]), flat("c"), series("d", [[1, 2], [2, 2]]), flat("e")];
  assert.deepEqual(besideEachOther(sharedPieces(list)), [0, 2, 4, 1, 3]);
  assert.deepEqual(sharedPieces(list)[2].map((piece) => piece.owners), [[0, 2, 4]]);
});

const parallel = () => {
  const tree = new SearchTree(6);
  const end = tree.add({
    iteration: 1, from: 0, action: 0, draw: 0, hit: false, passes: 3, nfe: 3, complete: true, reward: 1, path: [1, 2], masks: [2, 0],
    writes: { cells: [0, 1, 2, 3, 1, 1, 4, 5], texts: ["a", "b", "c", "d", 0, "e", "f", "g"], passes: [1, 1, 1, 2, 3, 3, 3, 3], by: [1, 1, 2, 2, 1, 1, 1, 2] },
  });
  return { tree, end };
};

test("a pass says how many cells it wrote, and whose they are", () => {
  const { end } = parallel(), names = ["relay", "relay/dream", "relay/llada"];
  const words = (pass) => passInWords(windowAt(end, pass), names);
  assert.equal(words(0), "");
  assert.equal(words(1), "2 cells by relay/dream, 1 by relay/llada");
  assert.equal(words(2), "1 cell by relay/llada");
  assert.equal(words(3), "2 cells by relay/dream, 1 by relay/llada, 1 masked again");
  assert.equal(passInWords({ wrote: new Map([[9, 2]]), masked: 0 }, names), "2 cells by nobody");
});

test("a pass has its place on the way to a node", () => {
  const { tree, end } = parallel();
  const place = (pass) => {
    const { node, share } = placeAt(end, pass);
    return [node.state, share];
  };
  assert.equal(end.passes, 3);
  assert.deepEqual(place(0), [0, 1]);
  assert.deepEqual(place(1), [1, 0.5], "two passes lead to state 1");
  assert.deepEqual(place(2), [1, 1]);
  assert.deepEqual(place(3), [2, 1]);
  assert.deepEqual(placeAt(tree.root, 0), { node: tree.root, share: 1 });
  const far = tree.add({
    iteration: 2, from: 0, action: 1, draw: 0, hit: false, passes: 2, nfe: 5, complete: true, reward: 1, path: [3, 4, 5], masks: [4, 2, 0],
    writes: { cells: [0, 1, 2, 3, 4, 5], texts: ["a", "b", "c", "d", "e", "f"], passes: [1, 2, 2, 2, 2, 2] },
  });
  assert.deepEqual([far.parent.passes, far.passes], [2, 2]);
  assert.equal(placeAt(far, 2).node, far, "a pass that goes beyond several nodes ends at the last");
  assert.deepEqual([placeAt(far, 1).node.state, placeAt(far, 1).share], [3, 0.5]);
});

test("what a pass of a walk under way wrote is told from what came before it", () => {
  const state = (window, by, written) => ({ window, by, written });
  const first = pictured(state(["a", 3], [[0, 1], [-1, 3]], [0]), null);
  const second = pictured(state(["a", "b", "c", 1], [[0, 1], [1, 2], [-1, 1]], [1, 2]), first);
  assert.deepEqual(second.map((cell) => cell.when), [1, 3, 3, 0]);
  const words = (news, cells) => passInWords(passOf(news, cells), ["dream", "llada"]);
  assert.equal(words({ written: [1, 2] }, second), "2 cells by llada");
  // Passes that were not told lie between: theirs is no news of this pass.
  const later = pictured(state(["a", "b", "c", "d"], [[0, 1], [1, 2], [0, 1]], []), second);
  assert.ok(later.every((cell) => cell.when < 4));
  const again = pictured(state(["a", 1, "c", "d"], [[0, 1], [-1, 1], [1, 1], [0, 1]], [1, 3]), second);
  assert.equal(words({ written: [1, 3, 99] }, again), "1 cell by dream, 1 masked again");
});

test("clocks and speeds are told in as many digits as mean something", () => {
  assert.deepEqual([0, 7.9, 61, 754, 3723, -1].map(clockText), ["0:00", "0:07", "1:01", "12:34", "1:02:03", "0:00"]);
  assert.equal(speedText(1000, 4), "250 passes/s");
  assert.equal(speedText(5, 4), "1.3 passes/s");
  assert.equal(speedText(1, 40), "0.025 passes/s");
  assert.equal(speedText(5, 0), "\u2013");
  assert.equal(speedText(0, 5), "\u2013");
});

test("settings name their models", () => {
  const models = ["dream", "a+b"];
  assert.equal(spelledAction("model=0,strategy=entropy,models=3 + model=1,seed=1 + model=7", models), "model=dream,strategy=entropy,models=3 + model=a+b,seed=1 + model=7");
  assert.equal(spelledAction("", []), "");
});

test("one model alone is asked the same question, once", () => {
  const problem = { id: "x", prompt: "p", reward: { type: "text" }, system: "s" };
  const request = aloneRequest({ problem, window: 48, seed: 3 }, "dream", 1000);
  assert.deepEqual({ ...request, umf: { ...request.umf, stop_at_reward: 0 } }, {
    problem, max_tokens: 48, seed: 3, umf: { search: "unmaskfork", models: ["dream"], budget: 96, stop_at_reward: 0 } });
  assert.ok(request.umf.stop_at_reward < -1e299, "any answer ends it");
  assert.equal(aloneRequest({ problem, window: 48, seed: 3 }, "dream", 50).umf.budget, 50);
});

// What stands on the canvas, without one: the discs of nodes, and texts as wide as six pixels a character.
function painted(picture) {
  const texts = [], pen = new Proxy({}, {
    get: (_, name) => ({ measureText: (text) => ({ width: 6 * text.length }), fillText: (text, x, y) => texts.push({ text, x, y }) })[name] ?? (() => {}),
    set: () => true,
  });
  picture.canvas.getContext = () => pen;
  picture.paint(null, null);
  return texts;
}

test("no label of a tree stands on a node", () => {
  Object.assign(globalThis, { getComputedStyle: () => ({ getPropertyValue: () => "" }), document: { documentElement: null }, devicePixelRatio: 1 });
  let labels = 0;
  for (const clientWidth of [440, 700, 1130]) {
    const tree = new SearchTree(16);
    for (const line of inventTrace({ window: 16, rollouts: 24, seed: 5 })) tree.add(line);
    const picture = new TreePicture({ clientWidth, clientHeight: 400 }, tree, ["a", "b"]);
    picture.zoom(1e9);
    for (; picture.step > 30; picture.zoom(0.95)) {
      for (const { text, x, y } of painted(picture)) {
        const on = tree.nodes.filter((node) => node.x !== undefined && Math.abs(picture.y(node) - y) < 5 &&
          picture.x(node) + picture.radius(node) > x && picture.x(node) - picture.radius(node) < x + 6 * text.length);
        if (text.endsWith("%") || text === "masked" || x + 6 * text.length > clientWidth) continue;
        ++labels;
        assert.deepEqual(on, [], `${text} at ${x} with ${picture.step} pixels between leaves`);
      }
      if (picture.step === picture.least) break;
    }
  }
  assert.ok(labels > 100);
});
