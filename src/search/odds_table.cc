#include "search/odds_table.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace umf {
namespace {

constexpr double kWeight = 4;
constexpr const char* kNames[kCandidateKinds] = {"whole", "switch",   "named",
                                                 "line",  "borrowed", "suffix"};
// Until a table says otherwise: as they were on the embedded models' problems.
constexpr double kDefaults[kCandidateKinds] = {0.5, 0.013, 0.005, 0.002, 0.003, 0.011};

}  // namespace

const char* name_of(CandidateKind kind) { return kNames[static_cast<int>(kind)]; }

OddsTable::OddsTable() = default;

OddsTable OddsTable::load(const std::string& path) {
  OddsTable table;
  const Json json = parse_json(read_file(path), path);
  if (!json.is_object()) throw Error(fmt::format("'{}' is no table of odds", path));
  for (const auto& [key, counts] : json.items()) {
    const bool two =
        counts.is_array() && counts.size() == 2 && counts[0].is_number() && counts[1].is_number();
    const Count count = two ? Count{counts[0], counts[1]} : Count{-1, 0};
    if (!std::isfinite(count.tried) || count.solved < 0 || count.solved > count.tried)
      throw Error(fmt::format("'{}': '{}' must be [tried, solved]", path, key));
    table.counts_[key] = count;
  }
  return table;
}

double OddsTable::probability(const CandidateTraits& traits) const {
  const auto kind = static_cast<int>(traits.kind);
  double estimate = kDefaults[kind];
  std::string key = kNames[kind];
  const auto correct = [&] {
    const auto known = counts_.find(key);
    if (known == counts_.end()) return;
    estimate = (known->second.solved + kWeight * estimate) / (known->second.tried + kWeight);
  };
  correct();
  key += fmt::format(" to {}", traits.to);
  correct();
  key += fmt::format(" from {}", traits.from);
  correct();
  key += fmt::format(" level {} reward {}", traits.level, traits.reward);
  correct();
  return estimate;
}

}  // namespace umf
