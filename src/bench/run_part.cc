#include "bench/run_part.h"

#include <algorithm>

namespace umf {

long RunPart::results() const {
  long each = 0;
  for (const SeededConfiguration& one : configurations) each += std::ssize(one.budgets);
  return each * std::ssize(problems);
}

RunPart part_of(const Manifest& manifest, const std::set<std::string>& ids,
                const std::set<std::string>& configurations) {
  RunPart part;
  for (int i = 0; i < std::ssize(manifest.ids); ++i) {
    if (ids.contains(manifest.ids[i])) part.problems.push_back(i);
  }
  for (int i = 0; i < std::ssize(manifest.configurations); ++i) {
    const Manifest::Entry& entry = manifest.configurations[i];
    if (!configurations.contains(entry.name)) continue;
    for (const std::uint64_t seed : entry.seeds)
      part.configurations.push_back({i, seed, entry.recorded()});
  }
  return part;
}

RunPart whole(const Manifest& manifest) {
  std::set<std::string> configurations;
  for (const Manifest::Entry& entry : manifest.configurations) configurations.insert(entry.name);
  return part_of(manifest, {manifest.ids.begin(), manifest.ids.end()}, configurations);
}

PartKeys::PartKeys(const Manifest& manifest, const RunPart& part) {
  for (const int problem : part.problems) ids_.insert(manifest.ids[problem]);
  for (const SeededConfiguration& one : part.configurations)
    budgets_[{manifest.configurations[one.configuration].name, one.seed}] = one.budgets;
}

bool PartKeys::has(const ResultKey& key) const {
  const auto budgets = budgets_.find({key.configuration, key.seed});
  return budgets != budgets_.end() && std::ranges::binary_search(budgets->second, key.budget) &&
         ids_.contains(key.id);
}

}  // namespace umf
