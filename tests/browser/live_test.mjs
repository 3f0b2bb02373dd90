// The live page of a running server, as people use it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { judgeOf } from "../web/problem_form.js";
import { takeEvents } from "../web/server.js";
import { ATTACKS, closeBrowser, openFile, openServer, pages, shownTokens, source, tiny } from "./browser.mjs";
import { fill, over, serve, showPlanted } from "./live_page.mjs";

const EXAMPLE = "last-two-loud"; // which the first model alone gets wrong
// A problem of one's own, of the kind that the embedded models know.
const problems = readFileSync(join(source, "assets/problems/dev.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const solvable = problems.find((problem) => problem.id === "dev/003");
const expressions = (problem) => problem.reward.tests.map((one) => `${one.call} == ${one.expect}`);

let server;
before(async () => {
  server = await serve();
});
after(async () => {
  await closeBrowser();
  server.stop();
});

test("tests are read as people write them", () => {
  assert.deepEqual(judgeOf("f([1, 2]) == [3]\n\n assert g('a') == \"b c\"\nf(1) == f(2)\nf(0) is None\nf() == True").tests, [
    { call: "f([1, 2])", expect: "[3]" }, { call: "g('a')", expect: "\"b c\"" }, { assert: "f(1) == f(2)" }, { assert: "f(0) is None" },
    { call: "f()", expect: "True" }]);
  assert.deepEqual(judgeOf("{\"type\": \"text\"}"), { type: "text" });
});

test("events are whole, wherever the connection cuts them", () => {
  const text = "id: 1\nevent: a\ndata: {\"x\":1}\n\n: waiting\n\nevent: b\ndata: 2\n\n";
  const whole = takeEvents(text).events;
  assert.deepEqual(whole, [{ id: "1", kind: "a", data: { x: 1 } }, { id: "", kind: "b", data: 2 }]);
  for (let cut = 0; cut <= text.length; ++cut) {
    const first = takeEvents(text.slice(0, cut)), second = takeEvents(first.rest + text.slice(cut));
    assert.deepEqual([...first.events, ...second.events], whole);
  }
});

test("an example is solved before one's eyes", async () => {
  const { page, check, close, picture } = await openServer(server.url);
  await page.getByRole("combobox", { name: "Problem" }).selectOption(EXAMPLE);
  const tests = (await page.getByLabel(/^Tests/).inputValue()).trim().split("\n");
  assert.ok(tests.length > 1);
  await picture("live-empty");
  await page.getByRole("button", { name: "Solve" }).click();
  await page.waitForFunction(() => document.querySelectorAll("pre.code .token").length > 8);
  assert.equal(await page.locator(".test.open").count(), tests.length, "no verdict yet");
  assert.ok((await page.locator("pre.code .mask").count()) > 0, "masks are shown");
  await picture("live-early");
  await over(page);
  assert.match(await page.locator(".status").innerText(), /^Solved after \d+ forward passes/);
  assert.equal(await page.locator(".test.good").count(), tests.length, "all tests are green");
  assert.match(await page.locator(".tree-canvas").getAttribute("aria-label"), /tree of \d+ states/);
  const shown = (await shownTokens(page)).map((one) => one.text ?? "").join("");
  assert.match(shown, /^def f\(/);
  await picture("live-solved");
  check();
  await close();
});

test("a configuration brings its models and its search", async () => {
  const { page, check, close, picture } = await openServer(server.url);
  const configuration = page.getByLabel("Configuration");
  assert.deepEqual(await configuration.locator("option").allInnerTexts(), ["Models and search below", "umf"]);
  await fill(page, { prompt: solvable.prompt, tests: expressions(solvable), budget: 300 });
  await configuration.selectOption("umf");
  const chosen = [page.getByRole("combobox", { name: /^Search/ }), ...await page.getByRole("checkbox").all()];
  for (const control of chosen) assert.ok(await control.isDisabled());
  const [asked] = await Promise.all([
    page.waitForRequest("**/v1/solves"), page.getByRole("button", { name: "Solve" }).click()]);
  const { model, umf } = asked.postDataJSON();
  assert.deepEqual({ model, umf }, { model: "umf", umf: { budget: 300 } });
  await over(page);
  assert.match(await page.locator(".status").innerText(), /^Solved after \d+ forward passes/);
  assert.match(await page.locator(".solve-view .legend").first().innerText(), /relay/);
  await picture("live-configuration");
  await configuration.selectOption("Models and search below");
  for (const control of chosen) assert.ok(!(await control.isDisabled()));
  check();
  await close();
});

test("who comes late sees the same, and the report tells it again", async () => {
  const first = await openServer(server.url);
  await fill(first.page, { prompt: solvable.prompt, tests: [...expressions(solvable), "False"], budget: 300 });
  await first.page.getByRole("button", { name: "Solve" }).click();
  await first.page.waitForFunction(() => location.hash.length > 1);
  const early = await openServer(first.page.url());
  await Promise.all([over(first.page), over(early.page)]);
  const late = await openServer(first.page.url(), { colorScheme: "dark" });
  await over(late.page);
  const seen = async ({ page }) => ({
    status: await page.locator(".status").innerText(), tokens: await shownTokens(page),
    tests: await page.locator(".tests").innerText(), tree: await page.locator(".tree-canvas").getAttribute("aria-label"),
  });
  const picture = await seen(first);
  picture.tokens.forEach((token) => delete token.background && delete token.line);
  for (const viewer of [early, late]) {
    const other = await seen(viewer);
    other.tokens.forEach((token) => delete token.background && delete token.line);
    assert.deepEqual(other, picture);
  }
  assert.match(picture.status, /^Best reward 0\.\d+ after 300 forward passes.*the budget is spent\.$/);
  await late.picture("live-dark");
  const [download] = await Promise.all([
    first.page.waitForEvent("download"), first.page.getByRole("button", { name: "Save report" }).click()]);
  const file = join(pages, "live-report.html");
  await download.saveAs(file);
  const report = await openFile(file);
  await report.page.waitForSelector(".tree-canvas");
  assert.equal(await report.page.locator(".tree-canvas").getAttribute("aria-label"), picture.tree);
  for (const viewer of [first, early, late, report]) {
    viewer.check();
    await viewer.close();
  }
});

test("a search is stopped at any time and keeps its best answer", async () => {
  const { page, check, close } = await openServer(server.url);
  await fill(page, { prompt: solvable.prompt, tests: ["True", "False"], budget: 1000000 });
  await page.getByRole("button", { name: "Solve" }).click();
  await page.locator(".tiles div", { hasText: "best reward0.5" }).waitFor({ timeout: 120000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await over(page);
  assert.match(await page.locator(".status").innerText(), /^Best reward 0\.5 .*stopped\.$/);
  assert.ok(await page.getByRole("button", { name: "Stop" }).isDisabled());
  check();
  await close();
});

test("a search that ends without an answer says what it cost", async () => {
  const { page, check, close } = await openServer(server.url);
  const begin = {
    problem: { id: "p", prompt: "p", reward: { type: "text" } }, search: { name: "unmaskfork", budget: 64 }, window: 8, seed: 0, models: ["a"],
    actions: [{ name: "a", model: "a", settings: "" }],
  };
  const state = { nfe: 2, seconds: 1, from: 0, action: 0, window: [8], by: [[-1, 8]] };
  const error = { message: "stopped before there was an answer" };
  await showPlanted(page, "stopped", [["begin", { id: "stopped", ...begin }], ["state", state], ["end", { error, search: { nfe: 7, rollouts: 0, hits: 0 }, seconds: 65 }]]);
  await page.locator(".status", { hasText: "after 7 forward passes, 0 rollouts" }).waitFor();
  const tiles = await page.locator(".tiles").innerText();
  assert.match(tiles, /7 of 64/);
  assert.match(tiles, /1:05/);
  await showPlanted(page, "waiting", [["begin", { id: "waiting", ...begin }], ["end", { error }]]);
  await page.locator(".status", { hasText: /^Ended without an answer: stopped/ }).waitFor();
  check();
  await close();
});

test("a node shows the way to it while the search goes on", async () => {
  const { page, check, close } = await openServer(server.url);
  await fill(page, { prompt: solvable.prompt, tests: ["True", "False"], budget: 1000000 });
  await page.getByRole("button", { name: "Solve" }).click();
  await page.locator(".tiles div", { hasText: "best reward0.5" }).waitFor({ timeout: 120000 });
  await page.locator(".tree-canvas").focus();
  await page.keyboard.press("End");
  const shown = await shownTokens(page);
  assert.match(await page.locator(".code-view output").innerText(), /^pass \d+ of \d+/);
  await page.waitForTimeout(300);
  assert.deepEqual(await shownTokens(page), shown, "what is looked at stays");
  await page.getByRole("button", { name: "Follow the search" }).click();
  await page.waitForFunction(() => document.querySelector("pre.code .mask") !== null);
  await page.getByRole("button", { name: "Stop" }).click();
  await over(page);
  check();
  await close();
});

test("masks that wait for their block are told from those that are being filled", async () => {
  const { page, check, close, picture } = await openServer(server.url);
  const masks = async (id, blocks) => {
    await showPlanted(page, id, [
      ["begin", {
        id, problem: { id, prompt: "p", reward: { type: "text" } }, search: { name: "unmaskfork", budget: 9 }, window: 70, seed: 0, models: ["a"],
        actions: [{ name: "a", model: "a", settings: "" }],
      }],
      ["state", { nfe: 2, from: 0, action: 0, window: ["def", 2, " x", 66], by: [[0, 1], [-1, 2], [0, 1], [-1, 66]], ...blocks }],
      ["end", { error: { message: id } }],
    ]);
    await page.locator(".status", { hasText: id }).waitFor();
    return page.locator("pre.code .mask").evaluateAll((runs) => runs.map((run) => [run.getAttribute("aria-label"), run.textContent[0]]));
  };
  const key = page.locator(".solve-view .legend li", { hasText: "waiting for its block" });
  assert.deepEqual(await masks("plain"), [["2 masked", "\u2591"], ["66 masked", "\u2591"]]);
  assert.ok(!(await key.isVisible()), "nothing waits");
  assert.deepEqual(await masks("blocks", { active: 5 }), [["2 masked", "\u2591"], ["3 masked", "\u2591"], ["63 masked, waiting", "\u00b7"]]);
  assert.ok(await key.isVisible());
  await picture("live-blocks");
  check();
  await close();
});

test("mistakes are explained where they were made", async () => {
  const { page, close } = await openServer(server.url);
  // The server's answer takes its time.
  const told = (what) => page.locator("form [role=alert]", { hasText: what }).waitFor();
  await fill(page, { prompt: "x", tests: ["{\"type\": \"comand\"}"] });
  await page.getByRole("button", { name: "Solve" }).click();
  await told(/this server judges by/);
  await page.getByLabel(/^Tests/).fill("{");
  await page.getByRole("button", { name: "Solve" }).click();
  await told(/no JSON/);
  await page.getByLabel(/^Tests/).fill("True");
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  await page.getByRole("button", { name: "Solve" }).click();
  await told(/at least one model/);
  await close();
});

test("it fits a telephone", async () => {
  const { page, check, close, picture } = await openServer(server.url, { viewport: { width: 400, height: 800 } });
  await fill(page, { prompt: solvable.prompt, tests: expressions(solvable), budget: 96 });
  await page.getByRole("button", { name: "Solve" }).click();
  await over(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
  await picture("live-narrow");
  check();
  await close();
});

test("every control has a name, and the keyboard reaches it", async () => {
  const { page, check, close } = await openServer(server.url);
  const nameless = await page.evaluate(() => [...document.querySelectorAll("input, select, textarea, button, progress")]
    .filter((one) => !(one.labels?.length > 0 || one.getAttribute("aria-label") || one.textContent.trim())).map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
  await page.getByLabel("Prompt").focus();
  const reached = new Set();
  for (let i = 0; i < 14; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.type));
  }
  for (const control of ["textarea", "checkbox", "number", "Solve"]) assert.ok(reached.has(control), `${control} in ${[...reached]}`);
  check();
  await close();
});

test("texts of prompts, models and tests never become markup", async () => {
  const all = ATTACKS.join("\n");
  const attacked = await openServer(server.url);
  const { page } = attacked;
  await fill(page, { prompt: all, tests: ATTACKS.map((attack) => JSON.stringify(attack)), budget: 96 });
  await page.getByRole("button", { name: "Solve" }).click();
  await over(page);
  assert.equal(await page.locator(".prompt").textContent(), all);
  // Words that these models do not write.
  const actions = ATTACKS.map((attack) => ({ name: attack, model: attack, settings: attack }));
  const reward = { type: "python-tests", tests: ATTACKS.map((attack) => ({ assert: attack })) };
  const line = {
    iteration: 1, from: 0, action: 0, draw: 0, hit: false, child: 1, end: 1, passes: 2, nfe: 2, complete: true, reward: 0, best: 0, path: [1], masks: [0],
    writes: { cells: [0, 1], texts: [all, all] },
    verdict: { why: all, names: ATTACKS, outcomes: "w".repeat(ATTACKS.length), failures: Object.fromEntries(ATTACKS.map((attack, i) => [i, attack])) },
  };
  await showPlanted(page, "planted", [
    ["begin", { id: all, problem: { id: all, prompt: all, reward }, search: { name: all, budget: 9 }, window: 2, seed: 0, models: ATTACKS, actions }],
    ["state", { nfe: 1, from: 0, action: 1, window: [all, 1], by: [[1, 1], [-1, 1]] }], ["rollout", line], ["end", { error: { message: all } }],
  ]);
  await page.locator(".status", { hasText: "Ended without an answer" }).waitFor();
  await page.waitForTimeout(100);
  assert.ok((await page.locator("pre.code code").textContent()).includes(all));
  for (const attack of ATTACKS.filter((one) => one.trim() === one)) {
    assert.ok((await page.locator(".tests").textContent()).includes(attack), attack);
    assert.ok((await page.locator(".status").textContent()).includes(attack), attack);
  }
  assert.equal(await page.evaluate(() => window.taken), undefined);
  assert.equal(await page.locator("img, .planted, svg[onload], main style, main script").count(), 0);
  await attacked.picture("live-hostile");
  attacked.check();
  await attacked.close();
});

test("a server's key is asked for and kept in the page alone", async () => {
  const locked = await serve("--api-key", "secret", "--model", join(tiny, "tiny-llada"));
  try {
    const { page, close } = await openServer(locked.url);
    await page.getByLabel("Key").fill("wrong");
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator(".notice", { hasText: "not the server's" }).waitFor();
    await page.getByLabel("Key").fill("secret");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("button", { name: "Solve" }).waitFor();
    assert.equal(await page.getByLabel("Configuration").count(), 0, "there is none");
    assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
    await page.reload();
    await page.getByLabel("Key").waitFor();
    await close();
  } finally {
    locked.stop();
  }
});
