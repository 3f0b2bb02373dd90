#include "bench/export.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "bench/run_tables.h"
#include "bench/scaling_figure.h"
#include "bench/summary.h"

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

// As a beginning of file names.
std::string file_prefix(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_') c = '-';
  }
  return name + "-";
}

class Exporter {
 public:
  explicit Exporter(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::error_code failure;
    std::filesystem::create_directories(folder_, failure);
    if (failure)
      throw Error(fmt::format("cannot make '{}': {}", folder_.string(), failure.message()));
  }

  void write(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    written_.push_back(name);
  }
  void table(const std::string& name, const Table& table, const Ordered& list,
             const std::vector<CsvColumn>& columns) {
    write(name + ".csv", csv_text(list, columns));
    write(name + ".tex", table_latex(table));
  }
  void groups(const std::string& prefix, const Ordered& groups) {
    table(prefix + "scores", score_table(groups), groups, score_columns());
    table(prefix + "costs", cost_table(groups), groups, cost_columns());
  }

  std::vector<std::string> written() const { return written_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> written_;
};

// A line per problem, configuration, budget and seed.
Ordered verdicts_of(const std::vector<Column>& columns, const std::vector<std::string>& ids) {
  Ordered list = Ordered::array();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (const Column& column : columns) {
      if (column.pooled) continue;
      for (const Result* result : column.of(i)) {
        if (result == nullptr) continue;
        list.push_back({{"id", ids[i]},
                        {"configuration", column.configuration},
                        {"budget", column.budget},
                        {"seed", result->key.seed},
                        {"status", name_of(result->status)},
                        {"passed", result->passed ? Ordered(*result->passed) : Ordered(nullptr)},
                        {"reward", result->reward ? Ordered(*result->reward) : Ordered(nullptr)},
                        {"nfe", result->nfe}});
      }
    }
  }
  return list;
}

// "passed", or of several seeds "2 of 3"; "-" where nothing was judged.
std::string verdict_of(std::span<const Result* const> results) {
  int judged = 0, passed = 0;
  for (const Result* result : results) {
    judged += result != nullptr && result->passed.has_value();
    passed += result != nullptr && result->passed.value_or(false);
  }
  if (judged == 0) return "-";
  if (results.size() > 1) return fmt::format("{} of {}", passed, judged);
  return passed > 0 ? "passed" : "failed";
}

// Problems down, configurations and budgets across.
Table verdict_table(const std::vector<Column>& columns, const std::vector<std::string>& ids) {
  Table table{"Verdicts of the hidden tests", {"problem"}, {}};
  for (const std::string& id : ids) table.rows.push_back({id});
  for (const Column& column : columns) {
    if (column.pooled) continue;
    table.heads.push_back(fmt::format("{}, {}", column.configuration, column.budget));
    for (std::size_t i = 0; i < ids.size(); ++i) table.rows[i].push_back(verdict_of(column.of(i)));
  }
  return table;
}

std::vector<CsvColumn> verdict_columns(const std::vector<Column>& columns) {
  std::vector<CsvColumn> list = {{"id", "/id"},         {"configuration", "/configuration"},
                                 {"budget", "/budget"}, {"status", "/status"},
                                 {"passed", "/passed"}, {"reward", "/reward"},
                                 {"nfe", "/nfe"}};
  if (std::ranges::any_of(columns, [](const Column& one) { return one.seeds.size() > 1; }))
    list.push_back({"seed", "/seed"});
  return list;
}

}  // namespace

std::vector<std::string> export_runs(const std::vector<LoadedRun>& runs,
                                     const std::filesystem::path& folder) {
  Exporter exporter(folder);
  std::vector<FigureSeries> curves;
  for (const LoadedRun& run : runs) {
    const std::string prefix = runs.size() > 1 ? file_prefix(run.name) : "";
    const Ordered summary = summarise(run.manifest(), run.results.all());
    exporter.groups(prefix, summary["groups"]);
    if (summary.contains("pools")) exporter.groups(prefix + "pooled-", summary["pools"]["groups"]);
    const std::vector<Column> columns = columns_of(run.manifest(), run.results.all());
    const std::vector<std::string>& ids = run.manifest().ids;
    exporter.table(prefix + "problems", verdict_table(columns, ids), verdicts_of(columns, ids),
                   verdict_columns(columns));
    if (const Ordered seeds = seeds_of(summary["groups"]); !seeds.empty())
      exporter.table(prefix + "seeds", seed_table(seeds), seeds, seed_columns());
    for (FigureSeries& one :
         scaling_series(summary["groups"], runs.size() > 1 ? run.name + " " : ""))
      curves.push_back(std::move(one));
  }
  const std::vector<ComparedRuns> compared = compare_runs(runs);
  for (const ComparedRuns& one : compared) {
    if (one.comparisons.empty()) continue;
    const Ordered list = compared_json(one)["comparisons"];
    exporter.table((compared.size() > 1 ? file_prefix(one.runs.front()) : "") + "comparisons",
                   comparison_table(list), list, comparison_columns());
  }
  const std::vector<std::string> figures = scaling_svgs(curves);
  for (std::size_t i = 0; i < figures.size(); ++i)
    exporter.write(i == 0 ? "scaling.svg" : fmt::format("scaling-{}.svg", i + 1), figures[i]);
  return exporter.written();
}

}  // namespace umf
