#include "bench/loaded_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"

namespace umf {
namespace {

std::string folder_name(const std::string& folder) {
  const auto path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// Whether an id means one problem in both. Fingerprints are of the problems that were chosen, as
// they were asked: other choices from one file, or other prompts, can be compared.
bool same_dataset(const LoadedRun& one, const LoadedRun& other) {
  const Json &a = one.manifest().json.at("dataset"), &b = other.manifest().json.at("dataset");
  const auto text = [](const Json& json, const char* key) {
    return json.value(key, std::string());
  };
  const auto file = [&](const Json& json) {
    return std::filesystem::path(text(json, "path")).filename();
  };
  return text(a, "fingerprint") == text(b, "fingerprint") ||
         (text(a, "kind") == text(b, "kind") && file(a) == file(b));
}

std::vector<std::string> ids_of(const std::vector<const LoadedRun*>& runs) {
  std::vector<std::string> ids;
  std::set<std::string> seen;
  for (const LoadedRun* run : runs) {
    for (const std::string& id : run->manifest().ids) {
      if (seen.insert(id).second) ids.push_back(id);
    }
  }
  return ids;
}

template <class Value>
bool holds(const std::vector<Value>& list, const Value& value) {
  return std::ranges::find(list, value) != list.end();
}

// The columns that are wanted, over `ids`.
std::vector<Column> wanted_columns(const std::vector<const LoadedRun*>& runs,
                                   const std::vector<std::string>& ids, const ComparedOnly& only) {
  std::vector<Column> columns;
  for (const LoadedRun* run : runs) {
    for (const Column& column : columns_of(run->manifest(), run->results.all())) {
      Column own = rearranged(column, run->manifest().ids, ids);
      if (runs.size() > 1) own.configuration = run->name + "/" + column.configuration;
      const bool named = only.configurations.empty() ||
                         holds(only.configurations, column.configuration) ||
                         holds(only.configurations, own.configuration);
      if (named && (only.budgets.empty() || holds(only.budgets, column.budget)))
        columns.push_back(std::move(own));
    }
  }
  return columns;
}

void require_known(const std::vector<LoadedRun>& runs, const ComparedOnly& only) {
  std::set<std::string> names;
  std::set<long> budgets;
  for (const LoadedRun& run : runs) {
    for (const Manifest::Entry& entry : run.manifest().configurations) {
      names.insert({entry.name, run.name + "/" + entry.name});
      budgets.insert(entry.budgets.begin(), entry.budgets.end());
      if (entry.pool) budgets.insert(entry.pool->budget);
    }
  }
  for (const std::string& name : only.configurations) {
    if (!names.contains(name)) throw Error(fmt::format("no run has a configuration '{}'", name));
  }
  for (const long budget : only.budgets) {
    if (!budgets.contains(budget)) throw Error(fmt::format("no run has the budget {}", budget));
  }
}

}  // namespace

std::vector<LoadedRun> load_runs(const std::vector<std::string>& folders) {
  std::vector<LoadedRun> runs;
  for (const std::string& folder : folders) {
    const auto same = [&](const std::string& other) {
      return folder_name(other) == folder_name(folder);
    };
    const bool alone = std::ranges::count_if(folders, same) == 1;
    RunDirectory directory = RunDirectory::open(folder);
    ResultIndex results(directory);
    results.refresh();
    runs.push_back(
        {alone ? folder_name(folder) : folder, std::move(directory), std::move(results)});
  }
  return runs;
}

std::vector<ComparedRuns> compare_runs(const std::vector<LoadedRun>& runs,
                                       const ComparedOnly& only) {
  require_known(runs, only);
  std::vector<std::vector<const LoadedRun*>> by_dataset;
  for (const LoadedRun& run : runs) {
    const auto known = std::ranges::find_if(
        by_dataset, [&](const auto& group) { return same_dataset(*group.front(), run); });
    if (known == by_dataset.end())
      by_dataset.push_back({&run});
    else
      known->push_back(&run);
  }
  std::vector<ComparedRuns> list;
  for (const auto& group : by_dataset) {
    const std::vector<std::string> ids = ids_of(group);
    ComparedRuns compared{
        {}, static_cast<int>(ids.size()), compare(wanted_columns(group, ids, only))};
    for (const LoadedRun* run : group) compared.runs.push_back(run->name);
    list.push_back(std::move(compared));
  }
  return list;
}

nlohmann::ordered_json compared_json(const ComparedRuns& compared) {
  auto comparisons = nlohmann::ordered_json::array();
  for (const PairComparison& one : compared.comparisons)
    comparisons.push_back(comparison_json(one));
  return {{"runs", compared.runs},
          {"problems", compared.problems},
          {"comparisons", std::move(comparisons)}};
}

}  // namespace umf
