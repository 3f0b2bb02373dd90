// Which of two configurations solves more, as far as the problems that both were judged on can
// tell.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/columns.h"
#include "bench/seeded_statistics.h"
#include "bench/statistics.h"

namespace umf {

inline constexpr double kLevel = 0.05;  // of all comparisons that are made together

struct PairComparison {
  std::string first, second;
  long budget = 0;
  bool pooled = false;
  int window = 0;  // of both; 0 where they differ
  Paired pairs;    // with several seeds: which passed more of them
  // Where one of both has several seeds: on the problems that both were judged on with all of them.
  std::optional<SeededPairs> seeded;
  double p = 1;                // of McNemar's exact test, or with several seeds the sign-flip test
  double corrected_p = 1;      // among all that were made together
  std::optional<long> needed;  // problems, where these are too few and the difference stays

  double difference() const { return seeded ? seeded->difference() : pairs.difference(); }
  Interval interval() const { return seeded ? paired_interval(*seeded) : paired_interval(pairs); }
  bool decided() const { return corrected_p < kLevel; }
};

// Every pair of configurations with a budget in common, in order. All are corrected together but
// those without a problem in common, which ask nothing.
std::vector<PairComparison> compare(std::span<const Column> columns);

// The answer for people: "umf solves more than pair at 4 windows: +8.3 points, ...".
std::string sentence_of(const PairComparison& comparison);

nlohmann::ordered_json comparison_json(const PairComparison& comparison);

}  // namespace umf
