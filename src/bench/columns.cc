#include "bench/columns.h"

#include <unordered_map>

#include "bench/pooled_results.h"

namespace umf {

std::vector<Column> columns_of(const Manifest& manifest,
                               const std::map<ResultKey, Result>& results) {
  std::vector<Column> columns;
  for (const Manifest::Entry& entry : manifest.configurations) {
    for (const long budget : entry.budgets) {
      Column column{entry.name, budget, /*pooled=*/false, entry.window, {}, entry.seeds};
      for (const std::string& id : manifest.ids) {
        for (const std::uint64_t seed : entry.seeds) {
          const auto found = results.find({id, entry.name, budget, seed});
          column.results.push_back(found == results.end() ? nullptr : &found->second);
        }
      }
      columns.push_back(std::move(column));
    }
    if (entry.pool) {
      columns.push_back({entry.name,
                         entry.pool->budget,
                         /*pooled=*/true,
                         entry.window,
                         pooled_results(manifest, entry, results).results,
                         {entry.seed}});
    }
  }
  return columns;
}

Column rearranged(const Column& column, std::span<const std::string> ids,
                  std::span<const std::string> wanted) {
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < ids.size(); ++i) numbers[ids[i]] = i;
  const std::vector<const Result*> none(column.seeds.size());
  Column other = column;
  other.results.clear();
  for (const std::string& id : wanted) {
    const auto found = numbers.find(id);
    const auto of_problem =
        found == numbers.end() ? std::span<const Result* const>(none) : column.of(found->second);
    other.results.insert(other.results.end(), of_problem.begin(), of_problem.end());
  }
  return other;
}

}  // namespace umf
