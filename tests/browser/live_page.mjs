// The live page as people use it: for its tests, and for pictures of it.
import { spawn } from "node:child_process";

// A server of its own on any port.
export async function serve(...words) {
  const process_ = spawn(process.env.UMF, ["serve", "--port", "0", "--quiet", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((heard) => process_.stdout.once("data", (data) => heard(String(data))));
  return { url: line.trim().split(" ").at(-1), stop: () => process_.kill("SIGKILL") };
}

export async function fill(page, { name, prompt, tests, budget }) {
  await page.getByRole("combobox", { name: "Problem" }).selectOption("A problem of your own");
  if (name) await page.getByLabel(/^Name/).fill(name);
  await page.getByLabel("Prompt").fill(prompt);
  await page.getByLabel(/^Tests/).fill(tests.join("\n"));
  if (budget) await page.getByLabel(/^Budget/).fill(String(budget));
}

export const over = (page) => page.locator(".solve-view.over").waitFor({ timeout: 120000 });

// Asks every model of the shown solve what it says alone, and waits for the answers.
export async function askEveryModel(page) {
  const buttons = await page.getByRole("button", { name: /^Ask .* alone$/ }).all();
  for (const button of buttons) await button.click();
  for (let i = 0; i < buttons.length; ++i)
    await page.locator(".answer-card").nth(i + 1).getByText(/passes of its own/).waitFor({ timeout: 120000 });
}

// Shows a story of events, told by a server that is not one.
export async function showPlanted(page, id, events) {
  const body = events.map(([kind, data]) => `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  await page.route(`**/v1/solves/${id}/events`, (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await page.evaluate((name) => { location.hash = name; }, id);
}
