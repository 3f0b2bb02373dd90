// umf compare: which configuration is better, and is that certain?
#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/loaded_run.h"
#include "bench/run_tables.h"
#include "cli/common.h"

namespace umf {
namespace {

struct CompareOptions {
  std::vector<std::string> directories, only, budgets;
  bool json = false;
};

long parse_budget(const std::string& text) {
  long budget = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), budget);
  if (failure != std::errc() || stop != text.data() + text.size() || budget < 1)
    throw Error(fmt::format("--budget takes a number of forward passes, not '{}'", text));
  return budget;
}

std::string text_of(const ComparedRuns& compared) {
  std::string runs;
  for (const std::string& run : compared.runs) runs += (runs.empty() ? "" : ", ") + run;
  std::string text =
      wrapped(fmt::format("{}: {} problems, {} comparison{}", runs, compared.problems,
                          compared.comparisons.size(), compared.comparisons.size() == 1 ? "" : "s"),
              "  ") +
      "\n";
  for (const PairComparison& one : compared.comparisons)
    text += wrapped("- " + sentence_of(one), "  ");
  const Table table = comparison_table(compared_json(compared)["comparisons"]);
  return text + "\n" + table_text(table) + "\n" + wrapped(table.caption + ".", "");
}

int compare_command_line(const CompareOptions& options) {
  if (options.directories.empty())
    throw Error("umf compare needs the directories of one or several runs");
  ComparedOnly only{.configurations = options.only, .budgets = {}};
  for (const std::string& budget : options.budgets) only.budgets.push_back(parse_budget(budget));
  const std::vector<LoadedRun> runs = load_runs(options.directories);
  const std::vector<ComparedRuns> compared = compare_runs(runs, only);
  if (compared.size() > 1)
    throw Error(
        fmt::format("'{}' and '{}' are runs over different data sets; only runs over one "
                    "can be compared",
                    compared[0].runs[0], compared[1].runs[0]));
  if (compared[0].comparisons.empty())
    throw Error(
        "there is nothing to compare: no two configurations have a budget in common; give several "
        "runs, or a run of several configurations");
  if (options.json)
    print_in_order(compared_json(compared[0]));
  else
    fmt::print("{}", text_of(compared[0]));
  return 0;
}

}  // namespace

Command compare_command() {
  return {
      "compare", "which configuration of one or several runs is better, and is that certain?",
      [](OptionSet& options) {
        auto o = std::make_shared<CompareOptions>();
        options.arguments("RUN", o->directories, "run directories of umf bench");
        options.values("only", o->only,
                       "compare this configuration, NAME or RUN/NAME; repeat it for each");
        options.values("budget", o->budgets, "compare at this budget; repeat it for each");
        options.flag("json", o->json, "the comparisons as JSON");
        options.footer(
            "Every pair of configurations is compared at every budget that both have, on the\n"
            "problems that both were judged on: the difference of pass@1 with Newcombe's paired\n"
            "95 % interval, and McNemar's exact test, corrected for the number of comparisons\n"
            "(Holm). With several seeds a problem counts once, by the share of them that passed,\n"
            "and the test is the exact sign-flip test by problem. Fewer questions, chosen before\n"
            "looking, are corrected less: --only and --budget. Where it stays open, the number of\n"
            "problems is told that would find a difference like the one seen in four of five such\n"
            "runs. Runs may be unfinished.\n"
            "Nothing is written to them.");
        return [o] { return compare_command_line(*o); };
      }};
}

}  // namespace umf
