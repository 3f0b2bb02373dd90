// One problem: what was asked, what was answered at which budget, and the searches behind it.
import { el, replace } from "./dom.js";
import { unpack } from "./packed.js";
import { dataTable } from "./tables.js";
import { SearchView } from "./search_view.js";
import { formatReward } from "./tree_picture.js";

export function verdictSign(passed, status) {
  if (status !== "done") return el("span", { class: "soft" }, status);
  if (passed === null) return el("span", { class: "soft" }, "\u2013");
  return passed ? el("span", { class: "good" }, "\u2713 pass") : el("span", { class: "bad" }, "\u2717 fail");
}

function answersTable(run, problem, details, chosen, choose) {
  const outlines = new Map(problem.results.map((one) => [`${one[0]} ${one[1]}`, one]));
  const hidden = problem.results.some((one) => one[2] !== null);
  const seconds = details.results.some((one) => one.unmask !== undefined);
  const outline = (one) => outlines.get(`${one.configuration} ${one.budget}`);
  const table = dataTable({
    caption: "Answers by configuration and budget",
    columns: [
      { head: "Configuration", cell: (one) => el("button", {
        type: "button", "aria-pressed": String(one === chosen), click: () => choose(one),
      }, run.configurations[one.configuration].name) },
      { head: "Budget", cell: (one) => String(one.budget) },
      hidden && { head: "Hidden tests", words: true, cell: (one) => verdictSign(outline(one)[2], outline(one)[5]) },
      { head: "Reward", cell: (one) => formatReward(outline(one)[3]) },
      { head: "NFE", cell: (one) => String(outline(one)[4]) },
      { head: "Found in rollout", cell: (one) => `${one.iteration} of ${one.rollouts}` },
      { head: "Cache hits", cell: (one) => String(one.hits) },
      { head: "Saved NFE", cell: (one) => String(one.saved_nfe) },
      { head: "Switches", cell: (one) => String(one.switches) },
      seconds && { head: "Unmask s", cell: (one) => (one.unmask ?? 0).toFixed(2) },
      { head: "Stopped by", words: true, cell: (one) => one.stopped },
    ].filter(Boolean),
    rows: details.results,
  });
  table.classList.add("answers-table");
  return table;
}

// Without a search of this budget: that of the next larger one, whose beginning it is.
function searchFor(details, result) {
  const own = details.searches.filter((one) => one.configuration === result.configuration && one.budget >= result.budget);
  return own.sort((a, b) => a.budget - b.budget)[0];
}

function searchPart(run, details, result) {
  const search = searchFor(details, result);
  if (!search) {
    return el("div", {},
      el("p", { class: "notice" }, details.left_out
        ? "The search is left out to keep this page small; umf report --limit-mb allows more."
        : "There is no trace of this search in the run."),
      el("h3", {}, "Answer"), el("pre", { class: "code" }, el("code", {}, result.answer)));
  }
  const configuration = run.configurations[result.configuration];
  const lines = search.lines.filter((line) => line.nfe - line.passes < result.budget);
  const view = new SearchView(lines, configuration.actions, configuration.window, result.iteration);
  return el("div", {}, search.budget > result.budget && el("p", { class: "small soft" },
    `The tree up to ${result.budget} passes of a search that went on to ${search.budget}.`), view.element);
}

// Fills `place` with a problem of a run. `wanted`: the configuration to begin with; `head`: what stands above it.
export async function showProblem(place, run, problem, wanted = 0, head = null) {
  replace(place, head, el("p", { class: "soft" }, "Opening\u2026"));
  const details = await unpack(problem.block);
  if (head && !place.contains(head)) return; // another was opened meanwhile
  const show = (result) => {
    const before = document.activeElement?.closest?.("[aria-pressed]")?.textContent;
    replace(place,
      head,
      details.prompt !== undefined && el("div", { class: "prompt", tabindex: 0, role: "group", "aria-label": "Prompt" }, details.prompt),
      details.results.length > 0 ? answersTable(run, problem, details, result, show) : el("p", {}, "There is no result yet."),
      result && result.why !== "" && el("p", { class: "small" }, `Verdict: ${result.why}`),
      result && searchPart(run, details, result));
    const pressed = place.querySelector("[aria-pressed=true]"), scroll = place.querySelector(".answers-table .scroll");
    // In a long table the row that is shown stands in its middle.
    if (pressed) scroll.scrollTop += pressed.getBoundingClientRect().top - scroll.getBoundingClientRect().top - scroll.clientHeight / 2;
    if (before) pressed?.focus({ preventScroll: true });
  };
  const own = details.results.filter((one) => one.configuration === wanted);
  show(own.at(-1) ?? details.results.at(-1));
}
