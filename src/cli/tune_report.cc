#include "cli/tune_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "bench/statistics.h"
#include "bench/table.h"

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

bool holds(const std::vector<int>& numbers, int number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

Ordered score_json(const std::string& configuration, const Scores& scores, int which) {
  const Score& score = scores.of[which];
  const double problems = scores.problems;
  const Interval interval = wilson_interval(score.count(), scores.problems);
  return {{"configuration", configuration},    {"solved", score.count()},
          {"share", score.count() / problems}, {"interval", {interval.low, interval.high}},
          {"visible", score.visible},          {"passes", score.passes / problems}};
}

Ordered actions_json(const Tuning& tuning) {
  Ordered rows = Ordered::array();
  const Scores& scores = tuning.action_scores;
  for (int i = 0; i < std::ssize(tuning.actions); ++i) {
    const TunedAction& action = tuning.actions[i];
    Ordered row = score_json(action.name(), scores, i);
    const long cells = static_cast<long>(tuning.window) * scores.problems - scores.of[i].spared;
    row["cells_per_pass"] = static_cast<double>(cells) / std::max(1L, scores.of[i].passes);
    row["action"] = action.text();
    row["chosen"] = holds(tuning.choice.rules, i) || holds(tuning.choice.ensembles, i);
    rows.push_back(std::move(row));
  }
  return rows;
}

Ordered searches_json(const Tuning& tuning) {
  Ordered rows = Ordered::array();
  for (int i = 0; i < std::ssize(tuning.searches); ++i) {
    Ordered row = score_json(tuning.searches[i].name, tuning.search_scores, i);
    row["actions"] = Ordered::array();
    for (const int action : tuning.searches[i].actions)
      row["actions"].push_back(tuning.actions[action].text());
    row["chosen"] = i == tuning.best;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Whether each pays, by itself and as the first action of a search.
Ordered ensembles_json(const Tuning& tuning) {
  Ordered rows = Ordered::array();
  for (int i = 0; i < std::ssize(tuning.choice.ensembles); ++i) {
    const int action = tuning.choice.ensembles[i];
    const Score &plain = tuning.search_scores.of[0], &with = tuning.search_scores.of[i + 1];
    const Paired pairs = pair_up(with, plain);
    const Interval interval = paired_interval(pairs);
    rows.push_back(
        {{"action", tuning.actions[action].text()},
         {"pays_alone", pays_alone(tuning.action_scores.of[action],
                                   tuning.action_scores.of[tuning.choice.best_model])},
         {"pays_in_search", better(with, plain)},
         {"difference", pairs.difference()},
         {"interval", {interval.low, interval.high}},
         {"passes", 1.0 * (with.passes - plain.passes) / tuning.search_scores.problems}});
  }
  return rows;
}

std::string percent(const Ordered& share) {
  return fmt::format("{:.1f}", 100 * share.get<double>());
}

// The chosen rows are marked.
std::string round_table(const Ordered& round, const std::string& title) {
  const bool has_cells = round["rows"][0].contains("cells_per_pass");
  Table table{"", {title, "solved", "95 %", "visible", "passes"}, {}};
  if (has_cells) table.heads.push_back("cells/pass");
  for (const Ordered& row : round["rows"]) {
    table.rows.push_back(
        {(row["chosen"].get<bool>() ? "* " : "  ") + row["configuration"].get<std::string>(),
         percent(row["share"]),
         fmt::format("{} to {}", percent(row["interval"][0]), percent(row["interval"][1])),
         fmt::format("{:.1f}", 100.0 * row["visible"].get<int>() / round["problems"].get<int>()),
         fmt::format("{:.1f}", row["passes"].get<double>())});
    if (has_cells)
      table.rows.back().push_back(fmt::format("{:.2f}", row["cells_per_pass"].get<double>()));
  }
  return table_text(table);
}

const char* yes_no(const Ordered& value) { return value.get<bool>() ? "yes" : "no"; }

Ordered round_json(const std::string& run, const Scores& scores, Ordered rows) {
  return {{"run", run},
          {"problems", scores.problems},
          {"left_out", scores.left_out},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string in_words(const Scores& scores, int which) {
  const Ordered row = score_json("", scores, which);
  return fmt::format("{} % of {} problems solved ({} to {}) with {:.1f} passes each",
                     percent(row["share"]), scores.problems, percent(row["interval"][0]),
                     percent(row["interval"][1]), row["passes"].get<double>());
}

Ordered tuning_json(const Tuning& tuning) {
  return {
      {"dataset", tuning.dataset},
      {"window", tuning.window},
      {"loss", tuning.loss},
      {"budget", tuning.budget},
      {"actions", round_json(tuning.actions_run, tuning.action_scores, actions_json(tuning))},
      {"searches", round_json(tuning.searches_run, tuning.search_scores, searches_json(tuning))},
      {"ensembles", ensembles_json(tuning)},
      {"configuration", tuning.configuration},
      {"file", tuning.file}};
}

std::string tuning_text(const Ordered& tuning) {
  std::string text =
      fmt::format("{} problems of {}, window {}\n\n", tuning["actions"]["problems"].get<int>(),
                  tuning["dataset"].get<std::string>(), tuning["window"].get<int>());
  text += round_table(tuning["actions"], "one answer") + "\n";
  text += round_table(tuning["searches"],
                      fmt::format("search, {} passes", tuning["budget"].get<long>()));
  for (const Ordered& ensemble : tuning["ensembles"]) {
    text += fmt::format(
        "\n{}\n  pays by itself: {}\n  first in the search: {} ({:+.1f} points, {:+.1f} to "
        "{:+.1f}, "
        "{:+.1f} passes)\n",
        ensemble["action"].get<std::string>(), yes_no(ensemble["pays_alone"]),
        yes_no(ensemble["pays_in_search"]), 100 * ensemble["difference"].get<double>(),
        100 * ensemble["interval"][0].get<double>(), 100 * ensemble["interval"][1].get<double>(),
        ensemble["passes"].get<double>());
  }
  text += "\nchosen, in this order:\n";
  for (const Ordered& action : tuning["configuration"]["action"])
    text += fmt::format("  --action {}\n", action.get<std::string>());
  const std::string file = tuning["file"];
  return text + fmt::format("written to {}: umf solve PROBLEM --config {}\n", file, file);
}

}  // namespace umf
