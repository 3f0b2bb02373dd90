// What the live page tells beside the search itself: how fast it goes, who wrote what in a pass, what one model alone
// would have said; and that all of it is seen at once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeBrowser, openServer, shownTokens, umf } from "./browser.mjs";
import { askEveryModel, fill, over, serve, showPlanted } from "./live_page.mjs";

const EXAMPLE = "last-two-loud"; // which not every model alone can do

let server;
before(async () => {
  server = await serve();
});
after(async () => {
  await closeBrowser();
  server.stop();
});

async function solveExample(page) {
  await page.getByRole("combobox", { name: "Problem" }).selectOption(EXAMPLE);
  await page.getByRole("button", { name: "Solve" }).click();
  await over(page);
}

const shownText = async (page) => (await shownTokens(page)).map((one) => one.text ?? "").join("");
const COPY = "section[aria-label=Text] .copy";
const fact = (page, name) => page.locator(".tiles div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).locator("dd");

test("tree and text are seen together at 1280 x 800", async () => {
  const { page, check, close } = await openServer(server.url, { viewport: { width: 1280, height: 800 } });
  await solveExample(page);
  assert.equal(await page.evaluate(() => scrollY), 0);
  const boxes = [];
  for (const part of [".tree-canvas", ".solve-view pre.code", ".tiles", ".code-tools input"]) {
    const { x, y, width, height } = await page.locator(part).first().boundingBox();
    assert.ok(x >= 0 && y >= 0 && x + width <= 1280 && y + height <= 800, `${part}: ${[x, y, width, height]}`);
    boxes.push({ x, y, width, height });
  }
  const [tree, text] = boxes;
  assert.ok(tree.height >= 240 && text.height >= 240 && tree.width >= 380 && text.width >= 380, "large enough to be read");
  assert.ok(text.x + text.width <= tree.x, "side by side");
  check();
  await close();
});

test("passes, what remains, speed and time are told, and stay when it is over", async () => {
  const { page, check, close } = await openServer(server.url);
  await fill(page, { name: "never solved", prompt: "Write f.", tests: ["True", "False"], budget: 1000000 });
  await page.getByRole("button", { name: "Solve" }).click();
  await page.waitForFunction(() => /^\d.*passes\/s$/.test([...document.querySelectorAll(".tiles dd")].find((one) => one.textContent.endsWith("passes/s"))?.textContent ?? ""));
  assert.match(await fact(page, "remaining").innerText(), /^\d+, \d+:\d\d(:\d\d)? at most$/);
  assert.match(await fact(page, "elapsed").innerText(), /^\d+:\d\d$/);
  await fact(page, "best reward").getByText("0.5").waitFor({ timeout: 120000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await over(page);
  const [made, budget] = (await fact(page, "forward passes").innerText()).split(" of ").map(Number);
  assert.equal(budget, 1000000);
  assert.equal(await fact(page, "remaining").innerText(), String(budget - made));
  const late = await openServer(page.url());
  await over(late.page);
  for (const name of ["forward passes", "remaining", "speed", "elapsed", "rollouts", "best reward"])
    assert.equal(await fact(late.page, name).innerText(), await fact(page, name).innerText(), `${name}: the same for who comes late`);
  check();
  await late.close();
  await close();
});

test("the text is copied as it is", async () => {
  const { page, check, close } = await openServer(server.url, { permissions: ["clipboard-read", "clipboard-write"] });
  await solveExample(page);
  const button = page.locator(COPY);
  await button.click();
  await page.locator(COPY, { hasText: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await shownText(page));
  assert.match(copied, /^def f\(/);
  await page.locator(COPY, { hasText: /^Copy$/ }).waitFor();
  // A page of another machine without TLS has no clipboard of its own.
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
    document.addEventListener("copy", () => { window.selectedText = document.activeElement.value; });
  });
  await button.click();
  await page.locator(COPY, { hasText: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => window.selectedText), copied);
  check();
  await close();
});

test("one model alone is asked when one wants, and judged by the same tests", async () => {
  const { page, check, close, picture } = await openServer(server.url);
  let asked = 0;
  page.on("request", (request) => { asked += request.method() === "POST" ? 1 : 0; });
  await solveExample(page);
  assert.equal(asked, 1, "nothing is asked for unasked");
  const passes = await fact(page, "forward passes").innerText(), answer = await shownText(page);
  await askEveryModel(page);
  const cards = page.locator(".answer-card");
  assert.match(await cards.nth(0).innerText(), /^The search's best answer/);
  assert.equal(await cards.nth(0).locator("pre").innerText(), answer);
  const prompt = await page.locator(".solve-view .prompt").textContent();
  const models = (await page.getByRole("button", { name: /^Ask .* alone$/ }).allInnerTexts()).map((text) => text.split(" ")[1]);
  assert.deepEqual(models, ["dream", "llada", "diffcoder"].filter((name) => models.includes(name)));
  for (const [i, model] of models.entries()) {
    const card = cards.nth(i + 1), plain = umf("generate", "--model", model, prompt).replace(/\n$/, "");
    assert.equal(await card.locator("pre").textContent(), plain, `${model}: what umf generate says`);
    assert.match(await card.innerText(), /reward (0|1|0\.\d+) after \d+ passes of its own\. \d+ of \d+ tests pass/);
  }
  assert.ok((await cards.allInnerTexts()).some((text) => text.includes("reward 0 ")), "not every model alone can do it");
  assert.equal(await fact(page, "forward passes").innerText(), passes, "its passes are its own");
  await picture("live-alone");
  check();
  await close();
});

test("a problem of one's own has the name that one gives it", async () => {
  const { page, check, close } = await openServer(server.url);
  const name = page.getByLabel(/^Name/), problem = page.getByRole("combobox", { name: "Problem" });
  assert.ok(!(await name.isVisible()), "an example has its name");
  await problem.selectOption(EXAMPLE);
  await page.getByLabel("Prompt").fill("Something else.");
  assert.equal(await name.inputValue(), `${EXAMPLE}, changed`);
  await fill(page, { name: "  squares <b>", prompt: "Write f.", tests: ["True"], budget: 48 });
  await page.getByRole("button", { name: "Solve" }).click();
  await over(page);
  assert.equal(await page.locator("#solve-title").textContent(), "squares <b>");
  assert.match(await page.title(), /^squares <b> /);
  await page.locator(".recent summary").click();
  await page.locator(".recent li").first().getByText("squares <b>").waitFor();
  await name.fill("");
  await page.getByRole("button", { name: "Solve" }).click();
  await page.locator("#solve-title", { hasText: /^my problem$/ }).waitFor();
  check();
  await close();
});

test("cells that come at once are shown at once, each in the colour of its author", async () => {
  const { page, check, close } = await openServer(server.url);
  const begin = {
    id: "parallel", problem: { id: "parallel", prompt: "p", reward: { type: "text" } }, search: { name: "unmaskfork", budget: 9 }, window: 6, seed: 0,
    models: ["a", "b"], actions: [{ name: "relay", model: "a+b", settings: "" }, { name: "b", model: "b", settings: "" }], members: ["relay/a", "relay/b"],
  };
  const state = { nfe: 2, from: 0, action: 0, window: ["x", "def", " f", " g", 2], by: [[2, 3], [3, 1], [-1, 2]], written: [1, 2, 3], seconds: 4 };
  await showPlanted(page, "parallel", [["begin", begin], ["state", state], ["end", { error: { message: "planted" } }]]);
  await page.locator(".status", { hasText: "planted" }).waitFor();
  const tokens = (await shownTokens(page)).filter((token) => token.text?.trim());
  assert.deepEqual(tokens.map(({ text, by, fresh }) => [text.trim(), by, fresh]),
    [["x", 2, false], ["def", 2, true], ["f", 2, true], ["g", 3, true]]);
  assert.match(await page.locator(".place").innerText(), /^pass 2: 2 cells by relay\/a, 1 by relay\/b, from the root, 2 masks left$/);
  check();
  await close();
});

test("on a telephone everything is reached without moving sideways", async () => {
  const { page, check, close } = await openServer(server.url, { viewport: { width: 400, height: 800 }, hasTouch: true, isMobile: true });
  await solveExample(page);
  await askEveryModel(page);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
  const small = await page.evaluate(() => [...document.querySelectorAll("button, select, input, summary")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.type !== "checkbox" && one.getBoundingClientRect().height < 36).map((one) => one.outerHTML));
  assert.deepEqual(small, [], "fingers need room");
  check();
  await close();
});
