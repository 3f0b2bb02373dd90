// Tables of a run, as the paper has them.
import { el } from "./dom.js";

export const percent = (share) => (share == null ? "\u2013" : (100 * share).toFixed(1));
export const fixed = (value, digits) => (value == null ? "\u2013" : value.toFixed(digits));

// columns: [{head, cell: (row) => text or node, words?, top?: (row) => boolean}]; the first names its row. The caption
// stands outside of what scrolls.
export function dataTable({ caption, columns, rows }) {
  const cells = (row) => columns.map((column, i) => {
    const look = [column.words && "words", column.top?.(row) && "top"].filter(Boolean).join(" ") || null;
    return i === 0 ? el("th", { scope: "row" }, column.cell(row)) : el("td", { class: look }, column.cell(row));
  });
  const heads = columns.map((column, i) => el("th", { scope: "col", class: i === 0 || column.words ? "words" : null }, column.head));
  return el("div", {}, el("p", { class: "caption", "aria-hidden": "true" }, caption),
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
      el("table", { class: "data", "aria-label": caption }, el("thead", {}, el("tr", {}, heads)),
        el("tbody", {}, rows.map((row) => el("tr", {}, cells(row)))))));
}

// The settings of an action, its models by their names.
export function spelledAction(settings, models) {
  return settings.replace(/\bmodel=(\d+)/g, (words, number) => (models[number] ? `model=${models[number]}` : words));
}

// What was run: enough to run it again.
export function configurationList(configurations) {
  const actions = ({ actions, settings, models }) => settings.map((text, i) =>
    el("li", {}, actions[i], text !== "" && [": ", el("code", { class: "mono" }, spelledAction(text, models))]));
  // Where there is little room they are named, and told when one asks.
  const open = matchMedia("(min-width: 621px)").matches;
  return el("ul", { class: "configurations", "aria-label": "Configurations" }, configurations.map((one) => el("li", {},
    el("b", {}, one.name), `: ${one.search}, window ${one.window}, seed ${one.seed ?? "not known"}, budgets ${one.budgets.join(", ")}`,
    one.settings.length > 0 && el("details", { open }, el("summary", {}, `Actions: ${one.actions.slice(0, one.settings.length).join(", ")}`), el("ul", {}, actions(one))))));
}

const problemsOf = (group) => group.done + group.failed + group.missing;

// Configurations down, budgets across; the best of each budget is bold.
export function scoreTable(groups) {
  const names = [...new Set(groups.map((group) => group.configuration))];
  const budgets = [...new Set(groups.map((group) => group.budget))].sort((a, b) => a - b);
  const find = (name, budget) => groups.find((group) => group.configuration === name && group.budget === budget);
  const best = new Map(budgets.map((budget) =>
    [budget, Math.max(...groups.filter((group) => group.budget === budget).map((group) => group["pass@1"] ?? -1))]));
  return dataTable({
    caption: "Pass@1 in percent by budget of forward passes (NFE), with Wilson's 95 % interval; best of each budget in bold",
    columns: [{ head: "Configuration", cell: (name) => name }, ...budgets.map((budget) => ({
      head: String(budget),
      top: (name) => best.get(budget) >= 0 && find(name, budget)?.["pass@1"] === best.get(budget),
      cell: (name) => {
        const group = find(name, budget);
        if (!group) return "";
        return [percent(group["pass@1"]), group.interval &&
          el("span", { class: "interval" }, `${percent(group.interval[0])}\u2013${percent(group.interval[1])}`),
        group.judged < problemsOf(group) &&
          el("span", { class: "interval" }, `${group.judged} of ${problemsOf(group)} judged`)];
      },
    }))],
    rows: names,
  });
}

export function costTable(groups) {
  const column = (head, cell) => ({ head, cell });
  return dataTable({
    caption: "What it cost, means per problem; hit rate over the rollouts of all problems; seconds of the search alone",
    columns: [
      { head: "Configuration", cell: (group) => group.configuration },
      column("Budget", (group) => String(group.budget)),
      column("Problems", (group) => `${group.done}${group.done < problemsOf(group) ? ` of ${problemsOf(group)}` : ""}`),
      column("Judged", (group) => String(group.judged)),
      column("Failed", (group) => String(group.failed)),
      column("Reward", (group) => fixed(group.mean_reward, 3)),
      column("NFE", (group) => fixed(group.nfe, 1)),
      column("Hit rate %", (group) => percent(group.hit_rate)),
      column("Saved NFE", (group) => fixed(group.saved_nfe, 1)),
      ...(groups.some((group) => group.partial_nfe > 0)
        ? [column("Partial", (group) => fixed(group.partial_nfe, 1)), column("Whole by arithmetic", (group) => fixed(group.equivalents, 1))]
        : []),
      column("Switches", (group) => fixed(group.switches, 2)),
      column("Evaluations", (group) => fixed(group.evaluations, 2)),
      column("Unmask s", (group) => fixed(group.seconds.unmask, 2)),
      column("Reward s", (group) => fixed(group.seconds.reward, 2)),
    ],
    rows: groups,
  });
}

export function comparisonTable(comparisons) {
  const signed = (share) => `${share >= 0 ? "+" : "\u2212"}${Math.abs(100 * share).toFixed(1)}`;
  const probability = (p) => (p < 0.0001 ? "<0.0001" : p.toFixed(4));
  return dataTable({
    caption: "Differences of Pass@1 in points on the problems that both were judged on, with Newcombe's paired 95 % interval; "
      + `p of McNemar's exact test, alone and corrected for the ${comparisons.length} comparisons together (Holm); `
      + "how many problems a difference like this would need to be found in four of five such runs",
    columns: [
      { head: "Pair", cell: (one) => `${one.first} \u2212 ${one.second}` },
      { head: "Budget", cell: (one) => `${one.budget}${one.pooled ? ", pooled" : ""}` },
      { head: "Problems", cell: (one) => String(one.problems) },
      { head: "Points", cell: (one) => signed(one.difference), top: (one) => one.decided },
      { head: "95 %", cell: (one) => `${signed(one.interval[0])} to ${signed(one.interval[1])}` },
      { head: "Only first", cell: (one) => String(one.only_first) },
      { head: "Only second", cell: (one) => String(one.only_second) },
      { head: "p", cell: (one) => probability(one.mcnemar_p) },
      { head: "p, corrected", cell: (one) => probability(one.corrected_p) },
      { head: "Needed", cell: (one) => (one.needed == null ? "\u2013" : String(one.needed)) },
    ],
    rows: comparisons,
  });
}
