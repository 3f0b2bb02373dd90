// A headless Chromium that notices everything a page must not do.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { chromium } from "playwright-core";

export { ATTACKS } from "./attacks.mjs";

const ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const pages = process.env.UMF_PAGES, source = process.env.UMF_SOURCE, tiny = process.env.UMF_TINY;

export function umf(...words) {
  return execFileSync(process.env.UMF, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

let browser;
export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

// A page; `check()` fails where anything was said on the console, asked for beyond `own`, or thrown.
async function openPage(url, own, options) {
  browser ??= await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGUMENTS });
  const context = await browser.newContext({ viewport: { width: 1240, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error}`));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!own.some((start) => request.url().startsWith(start))) wrong.push(`request: ${request.url()}`);
  });
  const start = performance.now();
  await page.goto(url);
  await page.waitForSelector("h1");
  const seconds = (performance.now() - start) / 1000;
  return {
    page, seconds,
    picture: (name, target = page) => target.screenshot({ path: join(pages, `${name}.png`), ...(target === page && { fullPage: true }) }),
    check: () => assert.deepEqual(wrong, []),
    close: () => context.close(),
  };
}

export const openFile = (file, options = {}) => openPage(`file://${file}`, ["file:", "data:", "blob:"], options);

// A page of a server, which may ask that server.
export const openServer = (url, options = {}) => openPage(url, [`${new URL(url).origin}/`, "data:", "blob:"], options);

// Opens the first result of the list in the column of a configuration.
export async function openProblem(page, problem, configuration) {
  await page.getByRole("button", { name: `${problem}, ${configuration}: ` }).click();
  await page.waitForSelector(".tree-canvas");
}

// Sets the slider as a person would.
export async function moveSlider(page, pass) {
  await page.locator(".code-tools input").evaluate((slider, value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  }, String(pass));
}

// What the code shows: [{text, by, space, fresh, background}], masks as {masks}.
export async function shownTokens(page) {
  return page.locator("pre.code code").first().evaluate((code) => [...code.children].map((span) => {
    if (span.classList.contains("mask")) return { masks: Number(span.getAttribute("aria-label").split(" ")[0]) };
    const by = [...span.classList].find((name) => name.startsWith("by-"));
    const style = getComputedStyle(span);
    return {
      text: span.textContent, by: Number(by.slice(3)), space: span.classList.contains("space"),
      fresh: span.classList.contains("fresh"), background: style.backgroundColor, line: style.textDecorationColor,
    };
  }));
}
