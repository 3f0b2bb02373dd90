// Pictures of the pages, for people to look at: run by tools/screenshots.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeBrowser, openFile, openServer, pages, source, umf } from "./browser.mjs";
import { askEveryModel, fill, over, serve } from "./live_page.mjs";

const [, , folder] = process.argv;
const WIDTHS = [[1280, 800], [800, 900], [400, 800]], THEMES = ["light", "dark"];
const model = (name) => `${name}=${join(source, "assets/models", name)}`;
const DREAM = "model=dream,strategy=entropy,temperature=0,top-p=1,eos-penalty=3,commit=one";
const LLADA = "model=llada,strategy=low-confidence,temperature=0,eos-last=true,commit=one";
const RELAY = "models=dream+llada,rule=relay,commit=tau:0.9";

// Calls `look` with the page of every width and theme.
async function everywhere(name, open, look = async () => {}, fullPage = true) {
  for (const [width, height] of WIDTHS) {
    for (const colorScheme of THEMES) {
      const { page, check, close } = await open({ viewport: { width, height }, colorScheme });
      await look(page);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage });
      check();
      await close();
    }
  }
  console.log(name);
}

function makeRun(name, configurations, ...words) {
  const run = join(pages, name), file = join(pages, `${name}.json`);
  rmSync(run, { recursive: true, force: true });
  writeFileSync(file, JSON.stringify(configurations));
  umf("bench", join(source, "assets/problems/dev.jsonl"), "--out", run, "--configs", file, "--window", "48", "--quiet", ...words);
  return run;
}

const budget = [48, 96, 192, 384];
const first = makeRun("forking", [
  { name: "forking", model: [model("dream"), model("llada")], action: [DREAM, LLADA], budget },
  { name: "relay", model: [model("dream"), model("llada")], action: [RELAY, DREAM, LLADA], budget },
  { name: "plain-dream", search: "best-of-n", model: [model("dream")], action: [DREAM], budget },
], "--limit", "8");
const second = makeRun("single", [
  { name: "llada-alone", search: "best-of-n", model: [model("llada")], action: [LLADA], budget },
  { name: "llada-again", search: "best-of-n", model: [model("llada")], action: [LLADA], seed: 1, budget },
], "--limit", "8");
const [report, compared, solved] = ["report", "compare", "run"].map((name) => join(pages, `${name}.html`));
umf("report", first, "--out", report);
umf("report", first, second, "--out", compared);
umf("solve", "--example", "last-two-loud", "--stop-at-reward", "never", "--budget", "400", "--report", solved, "--quiet");
const [problem] = JSON.parse(readFileSync(join(first, "config.json"), "utf8")).dataset.problems;
const tree = (page) => page.waitForSelector(".tree-canvas");

await everywhere("report", (options) => openFile(report, options));
await everywhere("problem", (options) => openFile(`${report}#${encodeURIComponent(problem)}@relay`, options), tree, false);
await everywhere("problem-whole", (options) => openFile(`${report}#${encodeURIComponent(problem)}`, options), tree);
await everywhere("compare", (options) => openFile(compared, options));
await everywhere("run", (options) => openFile(solved, options), tree);

// The picture of docs/report.md.
const shown = readFileSync(join(source, "assets/problems/test.jsonl"), "utf8").split("\n").find((line) => line.includes('"test/008"'));
writeFileSync(join(pages, "test-008.json"), shown);
umf("solve", join(pages, "test-008.json"), "--model", model("dream"), "--model", model("llada"), "--action", "model=dream,commit=one",
  "--action", "model=llada,commit=one", "--budget", "900", "--report", join(pages, "docs.html"), "--quiet");
const docs = await openFile(join(pages, "docs.html"), { viewport: { width: 1000, height: 900 } });
await tree(docs.page);
const height = await docs.page.locator("#details").evaluate((details) => Math.ceil(details.getBoundingClientRect().bottom) + 12);
await docs.page.screenshot({ path: join(folder, "docs-report.png"), fullPage: true, clip: { x: 0, y: 0, width: 1000, height } });
await docs.close();

const server = await serve();
try {
  const { page } = await openServer(server.url);
  const start = async (asked) => {
    const before = page.url();
    await fill(page, asked);
    await page.getByRole("button", { name: "Solve" }).click();
    await page.waitForFunction((url) => location.href !== url, before);
    return page.url();
  };
  await everywhere("live-empty", (options) => openServer(server.url, options));
  const asked = { name: "sum of squares", prompt: "Write a function f(xs) that returns the sum of the squares of xs." };
  const running = await start({ ...asked, tests: ["f([1, 2]) == 5", "f([]) == 0", "False"], budget: 1000000 });
  await page.waitForFunction(() => document.querySelector(".tree-canvas")?.getAttribute("aria-label").match(/of (\d+)/)[1] > 40);
  await everywhere("live-running", (options) => openServer(running, options),
    (one) => one.waitForFunction(() => document.querySelector(".place")?.textContent.startsWith("pass")), false);
  await page.getByRole("button", { name: "Stop" }).click();
  await over(page);
  await page.getByRole("combobox", { name: "Problem" }).selectOption("last-two-loud");
  await page.getByLabel(/^Budget/).fill("");
  await page.getByRole("button", { name: "Solve" }).click();
  await page.locator("#solve-title", { hasText: "last-two-loud" }).waitFor();
  await over(page);
  await everywhere("live-solved", (options) => openServer(page.url(), options), over, false);
  await everywhere("live-alone", (options) => openServer(page.url(), options), async (one) => {
    await over(one);
    await askEveryModel(one);
  });
} finally {
  await closeBrowser();
  server.stop();
}
