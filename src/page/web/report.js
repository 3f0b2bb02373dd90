// The page of umf report and umf solve --report.
import { el, replace } from "./dom.js";
import { dataOf } from "./packed.js";
import { chosenChart } from "./charts.js";
import { ProblemOpener } from "./problem_opener.js";
import { showProblem } from "./problem_view.js";
import { scoreTable, costTable, comparisonTable, configurationList } from "./tables.js";

function facts(run) {
  return el("dl", { class: "facts" }, Object.entries(run.facts).map(([label, value]) => [el("dt", {}, label), el("dd", { class: ["Command", "Extended by"].includes(label) ? "mono" : null }, value)]));
}

// Curves of all runs in one figure: their names where there are several.
function curves(runs) {
  const series = runs.flatMap((run) => run.configurations.map((one) => ({
    name: runs.length > 1 ? `${run.name} ${one.name}` : one.name,
    points: run.groups.filter((group) => group.configuration === one.name && group["pass@1"] !== null).map((group) => ({
      x: group.budget, y: group["pass@1"], low: group.interval[0], high: group.interval[1],
    })),
  }))).filter((one) => one.points.length > 0);
  if (series.length === 0) return null;
  return chosenChart({
    series, xLabel: "Budget: forward passes (NFE) per problem", yLabel: "Pass@1 (%)", format: (share) => String(Math.round(1000 * share) / 10),
    caption: "Pass@1 over the budget of forward passes; lines show Wilson's 95 % interval",
  });
}

// Of budgets per problem, or of pooled ones.
function tables({ groups }) {
  const judged = groups.some((group) => group["pass@1"] !== null);
  return [
    judged && el("h3", {}, "Pass@1"), judged && scoreTable(groups),
    el("h3", {}, "Cost"), costTable(groups),
  ];
}

const SENTENCES = 24; // that are read

// What was asked first: which is better? Of many answers those that are decided; the table has all.
function answers(compared, several) {
  const { comparisons } = compared, decided = comparisons.filter((one) => one.decided);
  const shown = comparisons.length > SENTENCES ? decided : comparisons;
  const rest = comparisons.length - shown.length;
  return [
    several && el("h3", {}, compared.runs.join(", ")),
    shown.length > 0 && el("ul", { class: "answers" }, shown.map((one) => el("li", { class: one.decided ? "decided" : null }, one.sentence))),
    rest > 0 && el("p", {}, `${rest} of ${comparisons.length} comparisons are open, or show no difference.`),
    comparisonTable(comparisons),
  ];
}

function runPart(run, list, alone) {
  return el("section", { "aria-label": run.name },
    el("h2", {}, alone ? "Results" : run.name),
    !run.complete && el("p", { class: "notice" }, "This run is not complete: shares and means are of the problems done so far."),
    run.mixed_devices && el("p", { class: "notice" }, `Made on devices of several kinds, whose results differ in the last bits: ${run.devices.join("; ")}.`),
    run.left_out > 0 && el("p", { class: "notice" }, `${run.left_out} problems of the data set were malformed and left out.`),
    tables(run),
    run.pools && el("section", { "aria-label": "Pooled budgets" }, el("h3", {}, "Budgets pooled over all problems"), tables(run.pools)),
    el("h3", {}, "How it was made"), facts(run), configurationList(run.configurations),
    el("div", { class: "problems-part" }, el("h3", {}, "Problems"), list.element));
}

function oneSearch(page, report) {
  const [run] = report.runs, place = el("div", { id: "details" });
  replace(page, el("h1", {}, report.title), place,
    el("section", { "aria-label": "How it was made" }, el("h3", {}, "How it was made"), facts(run), configurationList(run.configurations)));
  showProblem(place, run, run.problems[0]);
}

function start() {
  const report = dataOf("report"), page = document.getElementById("page");
  if (report.runs.length === 1 && report.runs[0].groups.length === 0 && report.runs[0].problems.length === 1)
    return oneSearch(page, report);
  const chart = curves(report.runs), opener = new ProblemOpener(report.runs);
  replace(page, el("h1", {}, report.title), el("p", { class: "soft" }, `Report of umf ${report.version}`),
    report.left_out > 0 && el("p", { class: "notice" }, `${report.left_out} searches are left out to keep this page small; umf report --limit-mb allows more.`),
    opener.news,
    report.compared.length > 0 && el("h2", {}, "Which is better?"),
    report.compared.map((compared) => answers(compared, report.compared.length > 1)),
    chart && el("h2", {}, "Scaling"), chart,
    report.runs.map((run) => runPart(run, opener.list(run), report.runs.length === 1)));
  opener.start();
}

start();
