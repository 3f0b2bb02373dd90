// Run directories written by hand: with any text in them, and of any size.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const job = (problem, configuration, budget) => `${String(problem).padStart(5, "0")}-${String(configuration).padStart(3, "0")}-${budget}.jsonl`;

// problems: [{id, prompt, answer, passed, reward, why, lines}], one configuration; the same at every budget, and searched
// at the largest.
export function writeRun(folder, { name, actions, window, budget, budgets = [budget], problems }) {
  for (const part of ["results", "leases", "workers", "checkpoints", "traces"]) mkdirSync(join(folder, part), { recursive: true });
  const configuration = { name, search: "unmaskfork", window, budgets, actions: actions.map(() => ""), action_names: actions };
  writeFileSync(join(folder, "config.json"), JSON.stringify({
    kind: "umf-run-1", version: name, backend: "cpu", models: [{ directory: `/models/${name}`, fingerprint: name }],
    dataset: { path: `/data/${name}`, kind: name, fingerprint: "0", problems: problems.map((one) => one.id) },
    configurations: [configuration],
  }));
  writeFileSync(join(folder, "problems.jsonl"), problems.map((one) => `${JSON.stringify({ id: one.id, prompt: one.prompt })}\n`).join(""));
  writeFileSync(join(folder, "results", "w.jsonl"), problems.flatMap((one) => budgets.map((budget) => `${JSON.stringify({
    id: one.id, configuration: name, budget, status: "done", tries: 1, passed: one.passed, reward: one.reward, complete: true,
    answer: one.answer, program: null, why: one.why,
    search: { nfe: budget, rollouts: one.lines.length, hits: 0, hit_rate: 0, saved_nfe: 0, spared_nfe: 0, switches: 0, evaluations: 1, stopped: "budget" },
    best: { path: [actions[0]], iteration: 1 }, passes: 1, seconds: { load: 0, unmask: 1, reward: 1, grade: 1 },
    peak_memory_bytes: 1, worker: "w", finished: 1,
  })}\n`)).join(""));
  problems.forEach((one, i) => writeFileSync(join(folder, "traces", job(i, 0, budget)), one.lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
}

// A random number generator that gives the same numbers everywhere.
export function generator(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const WORDS = ["def", " f", "(", "xs", ")", ":", "\n    ", "return", " [", " x", " for", " in", " if", " + ", "1", "]", "\n", " sorted", " value", "_result"];

// As UnMaskFork makes one: misses from random nodes, each level a checkpoint, hits in between. One token per pass.
export function inventTrace({ window, rollouts, seed, levels = 8 }) {
  const random = generator(seed), lines = [], states = [{ id: 0, masks: window, level: 0, cells: [...Array(window).keys()] }];
  let next = 1, nfe = 0;
  for (let i = 1; i <= rollouts; ++i) {
    const from = states[random(states.length)];
    const order = [...from.cells];
    for (let k = order.length - 1; k > 0; --k) {
      const other = random(k + 1);
      [order[k], order[other]] = [order[other], order[k]];
    }
    const cells = order, path = [], masks = [];
    for (let level = from.level + 1; level <= levels; ++level) {
      const left = Math.floor((window * (levels - level)) / levels);
      if (left >= from.masks) continue;
      path.push(next);
      masks.push(left);
      if (level < levels) states.push({ id: next, masks: left, level, cells: cells.slice(cells.length - left) });
      ++next;
    }
    nfe += cells.length;
    lines.push({
      iteration: i, from: from.id, action: random(2), draw: i, hit: false, child: path[0], end: path.at(-1), passes: cells.length, nfe,
      complete: true, reward: random(5) / 4, best: 1, path, masks,
      writes: { cells, texts: cells.map((cell) => (cell > window / 3 ? null : WORDS[random(WORDS.length)])) },
      verdict: { why: "", ...(i === 1 && { names: ["one", "two", "three"] }), outcomes: "pwp", failures: { 1: "expected 1, got 2" } },
    });
  }
  return lines;
}
