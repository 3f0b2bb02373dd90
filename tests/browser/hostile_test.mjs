// Texts that want to be markup, and pages that are large.
import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { ATTACKS, closeBrowser, moveSlider, openFile, openProblem, pages, umf } from "./browser.mjs";
import { inventTrace, writeRun } from "./runs.mjs";

after(closeBrowser);

function reported(name, run, ...options) {
  const folder = join(pages, `${name}-run`), file = join(pages, `${name}.html`);
  rmSync(folder, { recursive: true, force: true });
  writeRun(folder, run);
  umf("report", folder, "--out", file, ...options);
  return file;
}

test("text of models, problems, tests and names never becomes markup", async () => {
  const problems = ATTACKS.map((attack, i) => ({
    id: `${i} ${attack}`, prompt: attack, answer: attack, passed: i % 2 === 0, reward: 0.5, why: attack,
    lines: [{
      iteration: 1, from: 0, action: 0, draw: 0, hit: false, child: 1, end: 1, passes: 3, nfe: 3, complete: false, reward: 0.5, best: 0.5,
      path: [1], masks: [1], writes: { cells: [0, 1, 2], texts: [attack, [60, 98, 62], attack] },
      verdict: { why: attack, names: [attack], outcomes: "w", failures: { 0: attack } },
    }],
  }));
  const name = `${ATTACKS[0]}${ATTACKS[1]}`;
  const file = reported("hostile", { name, actions: [name], window: 4, budget: 3, problems });
  const { page, check, close, picture } = await openFile(file);
  const clean = async () => {
    assert.equal(await page.evaluate(() => window.taken), undefined);
    assert.equal(await page.locator("img, .planted, svg[onload], main style, main script").count(), 0);
  };
  await clean();
  for (const [i, problem] of problems.entries()) {
    await page.locator("table.problems tbody tr").nth(i).getByRole("button").click();
    await page.locator("#problem", { hasText: `${i} ` }).waitFor();
    await page.waitForSelector(".tree-canvas");
    assert.equal(await page.locator(".prompt").textContent(), problem.prompt);
    const code = await page.locator("pre.code code").textContent();
    assert.ok(code.startsWith(`${problem.prompt}<b>${problem.prompt}`), code);
    assert.ok((await page.locator(".tests").textContent()).includes(problem.prompt));
    await moveSlider(page, 1);
    await clean();
  }
  await picture("hostile");
  check();
  await close();
});

test("three hundred problems make a page that opens", async (t) => {
  const problems = [...Array(300).keys()].map((i) => ({
    id: `problem/${i}`, prompt: "Write f.", answer: "def f(xs):\n    return xs\n".repeat(20), passed: i % 3 === 0, reward: (i % 5) / 4, why: "",
    lines: inventTrace({ window: 768, rollouts: 24, seed: i }),
  }));
  const file = reported("large", { name: "umf", actions: ["dream", "llada"], window: 768, budget: 12288, problems });
  const megabytes = statSync(file).size / 1e6;
  assert.ok(megabytes < 30, `${megabytes} MB`);
  const { page, seconds, check, close } = await openFile(file);
  t.diagnostic(`${megabytes.toFixed(1)} MB, open after ${seconds.toFixed(2)} s`);
  assert.equal(await page.getByRole("status").innerText(), "300 of 300 problems");
  await openProblem(page, "problem/7", "umf");
  check();
  await close();
});

test("a page that would be too large leaves searches out and says so", async () => {
  const problems = [...Array(24).keys()].map((i) => ({
    id: `problem/${i}`, prompt: "Write f.", answer: "pass", passed: true, reward: 1, why: "", lines: inventTrace({ window: 512, rollouts: 80, seed: i }),
  }));
  const file = reported("limited", { name: "umf", actions: ["dream", "llada"], window: 512, budget: 768, problems }, "--limit-mb", "1", "--quiet");
  assert.ok(statSync(file).size < 1.2e6);
  const { page, check, close } = await openFile(file);
  assert.match(await page.locator(".notice").first().innerText(), /^\d+ searches are left out/);
  await page.getByRole("button", { name: "problem/23, umf: " }).click();
  await page.locator(".notice", { hasText: "The search is left out" }).waitFor();
  check();
  await close();
});

test("a tree of ten thousand nodes can be looked at and walked", async (t) => {
  const problems = [{ id: "wide", prompt: "", answer: "", passed: true, reward: 1, why: "", lines: inventTrace({ window: 64, rollouts: 6000, seed: 1 }) }];
  const file = reported("wide", { name: "umf", actions: ["dream", "llada"], window: 64, budget: 100000, problems });
  const { page, check, close, picture } = await openFile(file);
  const start = performance.now();
  await openProblem(page, "wide", "umf");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const opened = performance.now() - start;
  const nodes = Number((await page.locator(".tree-canvas").getAttribute("aria-label")).match(/of (\d+) states/)[1]);
  assert.ok(nodes > 10000, `${nodes}`);
  const longest = await page.evaluate(async () => {
    const canvas = document.querySelector(".tree-canvas");
    let worst = 0;
    for (let i = 0; i < 12; ++i) {
      const begin = performance.now();
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "+" : "ArrowDown", bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      worst = Math.max(worst, performance.now() - begin);
    }
    return worst;
  });
  t.diagnostic(`${nodes} nodes, open after ${opened.toFixed(0)} ms, longest step ${longest.toFixed(0)} ms`);
  await page.getByRole("button", { name: "Show the whole tree" }).click();
  await page.waitForTimeout(100);
  await picture("wide", page.locator(".tree-view"));
  check();
  await close();
});
