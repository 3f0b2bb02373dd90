// The report of a real run, as its readers see it.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { closeBrowser, moveSlider, openFile, openProblem, pages, shownTokens, source, tiny, umf } from "./browser.mjs";
import { writeRun } from "./runs.mjs";

const DREAM = "model=dream,strategy=entropy,temperature=0,top-p=1,eos-penalty=3,commit=one";
const LLADA = "model=llada,strategy=low-confidence,temperature=0,eos-last=true,commit=one";
const run = join(pages, "run"), file = join(pages, "report.html");
const model = (name) => `${name}=${join(source, "assets/models", name)}`;
// A problem that any model has something to say to.
function textChecks() {
  const file = join(pages, "text-checks.json");
  writeFileSync(file, JSON.stringify({
    id: "text-checks", prompt: "Say something.",
    reward: { type: "text", checks: [{ contains: "a" }, { contains: "in" }, { contains: "us" }, { lacks: "x" }, { "longer-than": 40 }] },
  }));
  return file;
}

let summary, lines;

before(() => {
  rmSync(run, { recursive: true, force: true });
  const configurations = join(pages, "configurations.json");
  writeFileSync(configurations, JSON.stringify([
    { name: "forking", model: [model("dream"), model("llada")], action: [DREAM, LLADA], budget: [48, 144] },
    { name: "plain", search: "best-of-n", model: [model("dream")], action: [DREAM], budget: 48 },
  ]));
  umf("bench", join(source, "assets/problems/dev.jsonl"), "--limit", "2", "--out", run, "--configs", configurations,
    "--window", "48", "--stop-at-reward", "never", "--quiet");
  umf("report", run, "--out", file);
  summary = JSON.parse(readFileSync(join(run, "summary.json"), "utf8"));
  lines = readFileSync(join(run, "traces/00000-000-144.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
});
after(closeBrowser);

test("curves and tables say what the summary says", async () => {
  const { page, check, close, picture } = await openFile(file);
  const markers = await page.locator(".chart .marker title").allTextContents();
  for (const group of summary.groups) {
    const share = String(Math.round(1000 * group["pass@1"]) / 10);
    assert.ok(markers.some((title) => title.startsWith(`${group.configuration}, ${group.budget}: ${share} (`)), `${markers}`);
  }
  assert.equal(markers.length, summary.groups.length);
  const table = await page.getByRole("table", { name: /in percent by budget/ }).first().innerText();
  for (const group of summary.groups) assert.match(table, new RegExp((100 * group["pass@1"]).toFixed(1).replace(".", "\\.")));
  assert.equal(await page.locator("h2").first().innerText(), "Which is better?");
  assert.ok(summary.comparisons.length > 0);
  assert.deepEqual(await page.locator(".answers li").allTextContents(), summary.comparisons.map((one) => one.sentence));
  assert.equal(await page.getByRole("table", { name: /^Differences of Pass@1/ }).locator("tbody tr").count(), summary.comparisons.length);
  await picture("report");
  check();
  await close();
});

test("a run's page says when, how and of what it was made", async () => {
  const { made_by: made, configurations } = JSON.parse(readFileSync(join(run, "config.json"), "utf8"));
  const { page, check, close } = await openFile(file);
  const facts = Object.fromEntries(await page.locator("dl.facts").evaluate((list) => [...list.querySelectorAll("dt")].map((label) => [label.textContent, label.nextSibling.textContent])));
  assert.equal(facts.Command, made.command);
  assert.match(facts.Command, / bench .*dev\.jsonl --limit 2 --out .* --stop-at-reward never --quiet$/);
  assert.match(facts.Made, /^\d{4}-\d\d-\d\d \d\d:\d\d( to .*)? UTC$/);
  assert.equal(facts.Made.slice(0, 16), new Date(made.started * 1000).toISOString().slice(0, 16).replace("T", " "));
  const rows = await page.locator(".configurations > li").allInnerTexts();
  assert.equal(rows.length, configurations.length);
  configurations.forEach((one, i) => {
    for (const word of [one.name, one.search, "48", String(one.seed), one.budgets.join(", "), ...one.model_names.map((name) => `model=${name},`)])
      assert.ok(rows[i].includes(word), `${word} in ${rows[i]}`);
  });
  check();
  await close();
});

test("of many configurations the best are drawn, and others when they are chosen", async () => {
  const folders = Array.from({ length: 11 }, (_, i) => {
    const folder = join(pages, `many-${i}`);
    rmSync(folder, { recursive: true, force: true });
    const problems = Array.from({ length: 10 }, (_, k) => (
      { id: `p${k}`, prompt: "", answer: "", passed: k < i, reward: 0, why: "", lines: [] }));
    writeRun(folder, { name: `c${i}`, actions: ["a"], window: 4, budget: 4, problems });
    return folder;
  });
  const many = join(pages, "many.html");
  umf("report", ...folders, "--out", many);
  const { page, check, close, picture } = await openFile(many);
  const shown = async () => (await page.locator(".chart .name").allTextContents()).sort();
  const names = (numbers) => numbers.map((i) => `many-${i} c${i}`).sort();
  assert.deepEqual(await shown(), names([3, 4, 5, 6, 7, 8, 9, 10]));
  await page.getByText("8 of 11 configurations are shown").click();
  await page.getByLabel("many-0 c0").check();
  assert.deepEqual(await shown(), names([0, 3, 4, 5, 6, 7, 8, 9, 10]));
  await picture("many");
  for (const i of [0, 3, 4, 5, 6, 7, 8, 9, 10]) await page.getByLabel(`many-${i} c${i}`, { exact: true }).uncheck();
  assert.equal(await page.locator(".chart").count(), 0);
  await page.getByText("Nothing is chosen.").waitFor();
  check();
  await close();
});

test("filters choose problems", async () => {
  const { page, check, close } = await openFile(file);
  const status = page.getByRole("status");
  assert.equal(await status.innerText(), "2 of 2 problems");
  const id = await page.locator("table.problems tbody th").first().innerText();
  await page.getByPlaceholder("id contains").fill(id);
  assert.equal(await status.innerText(), "1 of 2 problems");
  await page.getByPlaceholder("id contains").fill("");
  await page.getByLabel("Verdicts").selectOption("failed");
  const results = readFileSync(join(run, "results.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const passes = (id) => results.some((one) => one.id === id && one.passed && (one.configuration === "plain" || one.budget === 144));
  const failed = [...new Set(results.map((one) => one.id))].filter((one) => !passes(one));
  assert.equal(await status.innerText(), `${failed.length} of 2 problems`);
  check();
  await close();
});

// The cells at the end of a rollout, told by the trace alone: what was there when it began is by the one rollout before
// it, which began at the root; the rest is its own.
function endCells(line) {
  const cells = new Map();
  const before = lines.find((one) => one.from === 0 && one.path.includes(line.from));
  let cell = 0;
  for (const entry of line.window ?? []) {
    if (typeof entry === "string") cells.set(cell, { text: entry, action: before.action });
    cell += typeof entry === "number" ? Math.abs(entry) : 1;
  }
  line.writes.cells.forEach((at, i) => cells.set(at, { text: line.writes.texts[i], action: line.action }));
  return cells;
}

test("every token has the colour of the model that wrote it", async () => {
  const { page, check, close, picture } = await openFile(file);
  await openProblem(page, JSON.parse(readFileSync(join(run, "results.jsonl"), "utf8").split("\n")[0]).id, "forking");
  await page.locator("summary", { hasText: "rollouts" }).click();
  const plain = lines.filter((one) => !one.hit && one.from === 0), forked = lines.filter((one) => one.window);
  assert.ok(plain.length > 1 && forked.length > 0, "both models begin, and one goes on where the other was");
  for (const line of [...plain, ...forked]) {
    await page.getByRole("row").filter({ has: page.locator("th", { hasText: new RegExp(`^${line.iteration}$`) }) }).getByRole("button").click();
    const cells = endCells(line), expected = [];
    for (let cell = 0; cell < 48 && cells.get(cell)?.text !== null; ++cell) {
      if (!cells.has(cell)) continue; // masked: the budget cut it
      const { text, action } = cells.get(cell), space = text.match(/^\s*/)[0];
      if (space) expected.push({ text: space, by: action });
      if (text.length > space.length) expected.push({ text: text.slice(space.length), by: action });
    }
    const shown = (await shownTokens(page)).filter((one) => one.masks === undefined);
    assert.deepEqual(shown.map(({ text, by }) => ({ text, by })), expected, `rollout ${line.iteration}`);
    const colours = new Map();
    for (const token of shown.filter((one) => !one.space)) {
      assert.equal(colours.get(token.by) ?? token.line, token.line);
      colours.set(token.by, token.line);
    }
    assert.equal(colours.size, line.window ? 2 : 1);
    assert.equal(new Set(colours.values()).size, colours.size, "two models, two colours");
    assert.ok(new Set(shown.filter((one) => !one.space).map((one) => one.background)).size > 2, "shades tell early from late");
  }
  await picture("tokens", page.locator("#details"));
  check();
  await close();
});

test("the slider goes back in time", async () => {
  const { page, check, close, picture } = await openFile(file);
  await openProblem(page, JSON.parse(readFileSync(join(run, "results.jsonl"), "utf8").split("\n")[0]).id, "forking");
  await page.locator("summary", { hasText: "rollouts" }).click();
  await page.getByRole("button", { name: /^Show \d/ }).first().click();
  const [first] = lines;
  for (const pass of [0, 1, 10, 20, 47]) {
    await moveSlider(page, pass);
    const written = new Map(first.writes.cells.slice(0, pass).map((cell, i) => [cell, first.writes.texts[i]]));
    let visible = 0;
    while (visible < 48 && written.get(visible) !== null) ++visible;
    const masks = [...Array(visible).keys()].filter((cell) => !written.has(cell)).length;
    const shown = await shownTokens(page);
    assert.equal(shown.reduce((sum, one) => sum + (one.masks ?? 0), 0), masks, `pass ${pass}`);
    const texts = [...Array(visible).keys()].filter((cell) => written.has(cell)).map((cell) => written.get(cell)).join("");
    assert.equal(shown.map((one) => one.text ?? "").join(""), texts);
    if (pass > 0 && first.writes.texts[pass - 1] !== null && first.writes.cells[pass - 1] < visible)
      assert.ok(shown.some((one) => one.fresh), "what was written just now is marked");
    assert.match(await page.locator(".code-view output").innerText(), new RegExp(`^pass ${pass} of 48`));
  }
  await moveSlider(page, 20);
  await picture("slider", page.locator(".code-view"));
  check();
  await close();
});

test("the tree is walked with the keyboard alone", async () => {
  const { page, check, close } = await openFile(file);
  await openProblem(page, JSON.parse(readFileSync(join(run, "results.jsonl"), "utf8").split("\n")[0]).id, "forking");
  await page.locator(".tree-canvas").focus();
  const said = () => page.locator(".tree-view [aria-live]").innerText();
  await page.keyboard.press("Home");
  assert.match(await said(), /^Root, 48 masks left/);
  await page.keyboard.press("ArrowDown");
  assert.match(await said(), /^State \d+ by (dream|llada), 43 masks left/);
  const before = await said();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await said(), before);
  await page.keyboard.press("End");
  assert.match(await said(), /0 masks left.*end, reward/);
  check();
  await close();
});

test("dark and paper are readable too", async () => {
  const { page, check, close, picture } = await openFile(file, { colorScheme: "dark" });
  await openProblem(page, JSON.parse(readFileSync(join(run, "results.jsonl"), "utf8").split("\n")[0]).id, "forking");
  await page.waitForTimeout(100);
  const brightness = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0));
  assert.ok((await brightness()) < 200);
  await picture("dark");
  await page.emulateMedia({ media: "print" });
  assert.equal(await brightness(), 765);
  assert.equal(await page.locator(".tree-tools").isVisible(), false);
  await picture("print");
  check();
  await close();
});

test("umf solve --report shows the one search", async () => {
  const problem = textChecks(), one = join(pages, "solve.html");
  const found = JSON.parse(umf("solve", problem, "--model", `dream=${join(tiny, "tiny-dream")}`, "--model", `llada=${join(tiny, "tiny-llada")}`,
    "--window", "32", "--budget", "400", "--stop-at-reward", "never", "--report", one, "--quiet", "--json"));
  const { page, check, close, picture } = await openFile(one);
  await page.waitForSelector(".tree-canvas");
  assert.equal(await page.locator(".chart").count(), 0);
  assert.equal((await shownTokens(page)).map((token) => token.text).join(""), found.answer);
  await page.waitForTimeout(100);
  await picture("solve");
  check();
  await close();
});

test("models that write together, and texts that are opened again, have their page", async () => {
  const problem = textChecks(), one = join(pages, "together.html"), trace = join(pages, "together.jsonl");
  for (const rule of ["relay", "poll"]) {
    const found = JSON.parse(umf("solve", problem, "--model", `dream=${join(tiny, "tiny-dream")}`, "--model", `llada=${join(tiny, "tiny-llada")}`,
      "--search", "odds", "--action", `models=dream+llada,rule=${rule},commit=tau:0.08`, "--action", "model=llada", "--window", "32", "--budget", "600",
      "--stop-at-reward", "never", "--report", one, "--trace", trace, "--quiet", "--json"));
    const told = readFileSync(trace, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(told.some((line) => new Set(line.writes?.by).size > 1), "two models wrote one text");
    const { page, check, close } = await openFile(one);
    await page.waitForSelector(".tree-canvas");
    const tokens = await shownTokens(page);
    assert.equal(tokens.map((token) => token.text ?? "").join(""), found.answer, rule);
    await page.locator("summary", { hasText: "rollouts" }).click();
    for (const line of told.filter((event) => event.opened && !event.hit).slice(0, 4)) {
      await page.getByRole("row").filter({ has: page.locator("th", { hasText: new RegExp(`^${line.iteration}$`) }) }).getByRole("button").click();
      assert.match(await page.locator("h3, h4, p, output").allTextContents().then((texts) => texts.join(" ")), /pass \d+ of \d+/);
    }
    const first = told.find((line) => !line.hit && line.writes?.passes && line.action === 0);
    await page.getByRole("row").filter({ has: page.locator("th", { hasText: new RegExp(`^${first.iteration}$`) }) }).getByRole("button").click();
    for (const pass of new Set(first.writes.passes)) {
      await moveSlider(page, pass);
      const by = new Map();
      first.writes.passes.forEach((when, i) => when === pass && by.set(first.writes.by[i], (by.get(first.writes.by[i]) ?? 0) + 1));
      const counts = [...by.values()].sort((a, b) => b - a), said = await page.locator(".code-view output").innerText();
      assert.deepEqual(said.match(/\d+(?= cells? by| by)/g).map(Number), counts, `pass ${pass} of ${rule}: ${said}`);
      const fresh = (await shownTokens(page)).filter((token) => token.fresh);
      if (pass < first.passes) assert.ok(fresh.every((token) => by.has(token.by)), "in the colour of who wrote it");
    }
    await moveSlider(page, 3);
    check();
    await close();
  }
});

test("every search has its page", async () => {
  const problem = textChecks(), one = join(pages, "search.html");
  const ways = [["dts", "temperature=1"], ["ab-mcts-a", "temperature=1"], ["best-of-n", "temperature=1"], ["pair", "temperature=1"],
    ["treasure", "temperature=1"], ["best-of-n", "temperature=1,remask=conf"], ["unmaskfork", "strategy=origin"]];
  for (const [search, action] of ways) {
    const actions = search === "pair" ? ["--action", `model=dream,${action}`, "--action", `model=dream,${action},seed=1`] : ["--action", `model=dream,${action}`];
    const found = JSON.parse(umf("solve", problem, "--model", `dream=${join(tiny, "tiny-dream")}`, "--search", search, ...actions,
      "--window", "24", "--budget", "120", "--stop-at-reward", "never", "--report", one, "--quiet", "--json"));
    const { page, check, close } = await openFile(one);
    await page.waitForSelector(".tree-canvas");
    const shown = (await shownTokens(page)).map((token) => token.text ?? "").join("");
    assert.equal(shown, found.answer, `${search} ${action}`);
    await moveSlider(page, 3);
    check();
    await close();
  }
});
