// The live page of `umf serve`.
import { el, replace } from "./dom.js";
import { ServerError, getFile, getJson, listen, postJson, useKey } from "./server.js";
import { ProblemForm } from "./problem_form.js";
import { SolveView } from "./solve_view.js";

const page = document.getElementById("page");
const news = el("p", { class: "notice", role: "alert", hidden: true });
const stage = el("div", { class: "stage" });
const recent = el("nav", { "aria-label": "Solves of this server", class: "recent" });

let form = null;
let watching = null; // {id, stop}: the solve that is shown

function say(text) {
  news.hidden = text === "";
  news.textContent = text;
}

const pathOf = (id, what) => `v1/solves/${encodeURIComponent(id)}/${what}`;

async function save(id) {
  try {
    const url = URL.createObjectURL(await getFile(pathOf(id, "report")));
    el("a", { href: url, download: `${id}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  } catch (error) {
    say(error.message);
  }
}

async function listSolves() {
  const { solves } = await getJson("v1/solves");
  const items = solves.map(({ id, title, phase, created, models }) => el("li", {},
    el("a", { href: `#${id}`, "aria-current": watching?.id === id ? "true" : null }, title),
    ` ${models.join(" + ")}, ${phase}, ${new Date(created * 1000).toLocaleTimeString()}`));
  replace(recent, solves.length > 0 && el("details", {}, el("summary", {}, `Solves of this server: ${solves.length}`), el("ul", {}, items)));
}

// Shows a solve from its beginning; whatever was shown before goes on without us.
async function watch(id) {
  watching?.stop.abort();
  const stop = new AbortController();
  watching = { id, stop };
  let view = null;
  form.running(false);
  const tell = (event) => {
    if (stop.signal.aborted) return;
    say("");
    if (event.kind === "begin") {
      view = new SolveView(event.data, () => save(id), { ask: (request, hear) => solveBeside(request, hear, stop.signal), mostBudget: form.about.max_budget });
      document.title = `${event.data.problem.id} \u2013 UnMaskFork`;
      replace(stage, view.element);
      if (matchMedia("(max-width: 999px)").matches) view.element.scrollIntoView();
      form.running(true);
    } else view?.tell(event);
    if (event.kind === "end") form.running(false);
  };
  const lost = () => say("The connection to the server is lost; trying again.");
  try {
    await Promise.all([listen(pathOf(id, "events"), { signal: stop.signal, tell, lost }), listSolves()]);
    await listSolves();
  } catch (error) {
    if (!stop.signal.aborted) say(error.message);
  }
}

// A solve that is shown within another; whoever looks elsewhere hears no more of it.
async function solveBeside(request, tell, signal) {
  const { id } = await postJson("v1/solves", request);
  await listen(pathOf(id, "events"), { signal, tell, lost() {} });
}

async function startSolve(request) {
  const { id } = await postJson("v1/solves", request);
  location.hash = id;
}

async function stopShown() {
  try {
    if (watching) await postJson(pathOf(watching.id, "stop"), {});
  } catch (error) {
    say(error.message);
  }
}

function showHash() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id && id !== watching?.id) watch(id);
}

function askForKey() {
  const input = el("input", { type: "password", autocomplete: "off", required: true });
  const submit = (event) => {
    event.preventDefault();
    useKey(input.value);
    open();
  };
  replace(page, el("h1", {}, "UnMaskFork"),
    el("form", { class: "problem-form", submit }, el("p", {}, "This server asks for its key. The page keeps it until it is closed."),
      el("label", { class: "field" }, el("span", {}, "Key"), input), el("div", { class: "tools" }, el("button", { type: "submit", class: "primary" }, "Open"))), news);
  input.focus();
}

async function open() {
  try {
    const about = await getJson("v1/about");
    say("");
    form = new ProblemForm(about, startSolve, stopShown);
    replace(stage, el("p", { class: "empty soft" }, "Press Solve, and watch how the text is unmasked here."));
    replace(page, el("header", {}, el("h1", {}, "UnMaskFork"),
      el("p", { class: "soft" }, "Masked diffusion language models write; a tree search over their unmasking keeps what passes the tests.")),
    news, el("div", { class: "live" }, el("aside", {}, form.element, recent), stage),
    el("footer", { class: "small soft" }, `umf ${about.version}`));
    await listSolves();
    showHash();
  } catch (error) {
    if (error instanceof ServerError && error.status === 401) {
      say(form === null && page.querySelector("form") ? "That key is not the server's." : "");
      askForKey();
    } else {
      replace(page, news);
      say(`The server does not answer: ${error.message}`);
    }
  }
}

addEventListener("hashchange", showHash);
open();
