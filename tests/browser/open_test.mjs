// Finding one's way in a report: addresses, the place in the tree, figures on any screen, how a run was made.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ATTACKS, closeBrowser, moveSlider, openFile, pages, umf } from "./browser.mjs";
import { inventTrace, writeRun } from "./runs.mjs";

const ids = [...Array(40).keys()].map((i) => `task/${i}`).concat(ATTACKS.filter((attack) => !attack.includes("\u0000")));
const file = join(pages, "open.html");

// Solves the first `passed` of its problems at every budget.
function write(name, { passed = 5, budgets = [48], problems = ids } = {}) {
  const folder = join(pages, name);
  rmSync(folder, { recursive: true, force: true });
  writeRun(folder, {
    name, actions: ["dream", "llada"], window: 48, budget: budgets.at(-1), budgets,
    problems: problems.map((id, i) => ({ id, prompt: `Prompt of ${id}`, answer: "a", passed: i < passed, reward: 1, why: "", lines: inventTrace({ window: 48, rollouts: 12, seed: i }) })),
  });
  return folder;
}

before(() => umf("report", write("open-first"), write("open-second"), "--out", file));
after(closeBrowser);

const heading = (page) => page.locator("#problem");
const boxOf = (locator) => locator.evaluate((one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return { top, bottom, inside: top >= 0 && bottom <= innerHeight };
});

async function opened(page, id) {
  await heading(page).getByText(id, { exact: true }).waitFor();
  await page.locator("#details .tree-canvas").waitFor();
}

test("a problem that is opened stands above the list, its heading at the top of the window", async () => {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 400, height: 800 }]) {
    const { page, check, close } = await openFile(file, { viewport });
    await page.getByRole("button", { name: "task/30, open-first: " }).click();
    await opened(page, "task/30");
    const { top, inside } = await boxOf(heading(page));
    assert.ok(inside && top < 120, `${top} at ${viewport.width}`);
    assert.equal(await page.evaluate(() => document.activeElement.id), "problem");
    assert.ok((await boxOf(page.locator("#details"))).bottom <= (await boxOf(page.locator("table.problems").first())).top, "above the list");
    assert.equal(await page.locator("table.problems tr.current").count(), 1);
    check();
    await close();
  }
});

test("an address opens its problem, and the back button goes back through them", async () => {
  const { page, check, close } = await openFile(`${file}#task/7`);
  await opened(page, "task/7");
  assert.equal(await page.locator("#details .prompt").textContent(), "Prompt of task/7");
  await page.getByRole("button", { name: "Next" }).click();
  await opened(page, "task/8");
  assert.ok(page.url().endsWith("#open-first/task%2F8"));
  await page.getByRole("link", { name: "task/20" }).nth(1).click();
  await opened(page, "task/20");
  assert.ok(page.url().endsWith("#open-second/task%2F20"), "the list that it was opened from");
  await page.goBack();
  await opened(page, "task/8");
  await page.goBack();
  await opened(page, "task/7");
  await page.goForward();
  await opened(page, "task/8");
  await page.getByRole("button", { name: "Close" }).click();
  await heading(page).waitFor({ state: "detached" });
  assert.ok((await boxOf(page.getByRole("link", { name: "task/8" }).first())).inside, "back in the list, where it was opened");
  await page.goBack();
  await opened(page, "task/8");
  check();
  await close();
});

test("every problem is opened by its address, whatever it is called", async () => {
  const { page, check, close } = await openFile(file);
  for (const link of await page.locator("table.problems").first().locator("tbody a").all()) {
    const [id, address] = [await link.textContent(), await link.getAttribute("href")];
    if (!ATTACKS.includes(id)) continue;
    await page.evaluate((hash) => { location.hash = hash; }, address);
    await page.waitForFunction((wanted) => document.querySelector("#problem")?.textContent === wanted, id);
    assert.equal(await page.evaluate(() => window.taken), undefined);
  }
  await page.evaluate(() => { location.hash = "#<img src=x>"; });
  await page.locator(".notice", { hasText: "This page has no problem <img src=x>" }).waitFor();
  assert.equal(await heading(page).count(), 0);
  check();
  await close();
});

test("a diamond in the tree goes along with the slider", async () => {
  const { page, check, close, picture } = await openFile(`${file}#task/3`);
  await opened(page, "task/3");
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector(".tree-canvas").toDataURL())))));
  const pictures = [];
  for (const pass of [0, 10, 11, 30, 10]) {
    await moveSlider(page, pass);
    pictures.push(await drawn());
  }
  assert.equal(pictures[1], pictures[4], "the same pass, the same place");
  assert.equal(new Set(pictures).size, 4, "every pass has a place of its own");
  await picture("diamond", page.locator(".tree-view"));
  check();
  await close();
});

test("curves that coincide are all seen, and said to coincide", async () => {
  const budgets = [48, 96, 192], together = join(pages, "coincide.html");
  const folders = ["same-a", "same-b", "same-c"].map((name) => write(name, { budgets, problems: ids.slice(0, 8) }));
  umf("report", ...folders, write("other", { budgets, passed: 2, problems: ids.slice(0, 8) }), "--out", together);
  const { page, check, close, picture } = await openFile(together);
  const shared = await page.locator(".chart .series.shared").evaluateAll((paths) => paths.map((path) => ({
    way: path.getAttribute("d"), dash: path.getAttribute("stroke-dashoffset"), colour: getComputedStyle(path).stroke })));
  assert.equal(shared.length, 6, "three curves of two pieces each");
  for (const way of new Set(shared.map((one) => one.way))) {
    const owners = shared.filter((one) => one.way === way);
    assert.equal(owners.length, 3);
    for (const key of ["dash", "colour"]) assert.equal(new Set(owners.map((one) => one[key])).size, 3, key);
  }
  assert.equal(await page.locator(".chart .series:not(.shared)").count(), 2);
  assert.match(await page.locator("figcaption").innerText(), /Where dashes take turns, curves coincide: same-a same-a, same-b same-b and same-c same-c coincide\./);
  const markers = await page.locator(".chart .marker").evaluateAll((shapes) => shapes.map((shape) => {
    const { x, y } = shape.getBoundingClientRect();
    return `${x} ${y}`;
  }));
  assert.equal(new Set(markers).size, markers.length, "no marker hides another");
  await picture("coincide", page.locator("figure"));
  check();
  await close();
});

test("on a telephone the figure is whole and the page does not move sideways", async () => {
  const named = write("a-configuration-that-has-a-name-as-long-as-people-give-them", { budgets: [48, 96, 192, 384, 768], problems: ids.slice(0, 8) });
  umf("report", named, write("short", { problems: ids.slice(0, 8) }), "--out", join(pages, "names.html"));
  for (const name of ["open", "coincide", "names"]) {
    const { page, check, close, picture } = await openFile(join(pages, `${name}.html`), { viewport: { width: 400, height: 800 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
    const outside = await page.evaluate(() => [...document.querySelectorAll("figure text, figure .legend *, figure .marker")].filter((one) => {
      const { left, right } = one.getBoundingClientRect();
      return left < 0 || right > innerWidth;
    }).map((one) => one.outerHTML));
    assert.deepEqual(outside, []);
    assert.ok((await page.locator(".chart text").first().evaluate((text) => text.getBoundingClientRect().height)) >= 12, "letters keep their size");
    await picture(`${name}-narrow`);
    check();
    await close();
  }
});
