#include "bench/columns.h"

#include <unordered_map>

#include "bench/pooled_results.h"

namespace umf {

std::vector<Column> columns_of(const Manifest& manifest,
                               const std::map<ResultKey, Result>& results) {
  std::vector<Column> columns;
  for (const Manifest::Entry& entry : manifest.configurations) {
    for (const long budget : entry.budgets) {
      Column column{entry.name, budget, /*pooled=*/false, entry.window, {}};
      for (const std::string& id : manifest.ids) {
        const auto found = results.find({id, entry.name, budget});
        column.results.push_back(found == results.end() ? nullptr : &found->second);
      }
      columns.push_back(std::move(column));
    }
    if (entry.pool) {
      columns.push_back({entry.name, entry.pool->budget, /*pooled=*/true, entry.window,
                         pooled_results(manifest, entry, results).results});
    }
  }
  return columns;
}

Column rearranged(const Column& column, std::span<const std::string> ids,
                  std::span<const std::string> wanted) {
  std::unordered_map<std::string, const Result*> by_id;
  for (std::size_t i = 0; i < ids.size(); ++i) by_id[ids[i]] = column.results[i];
  Column other = column;
  other.results.clear();
  for (const std::string& id : wanted) {
    const auto found = by_id.find(id);
    other.results.push_back(found == by_id.end() ? nullptr : found->second);
  }
  return other;
}

}  // namespace umf
