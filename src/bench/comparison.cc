#include "bench/comparison.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace umf {
namespace {

Paired pair_up(const Column& first, const Column& second) {
  Paired pairs;
  for (std::size_t i = 0; i < first.results.size(); ++i) {
    const Result *one = first.results[i], *other = second.results[i];
    if (one == nullptr || other == nullptr || !one->passed || !other->passed) continue;
    if (*one->passed) {
      ++(*other->passed ? pairs.both : pairs.only_first);
    } else {
      ++(*other->passed ? pairs.only_second : pairs.neither);
    }
  }
  return pairs;
}

// With how many seeds a problem was passed; nothing where one was not judged.
std::optional<int> passed_of(std::span<const Result* const> results) {
  int passed = 0;
  for (const Result* result : results) {
    if (result == nullptr || !result->passed) return std::nullopt;
    passed += *result->passed;
  }
  return passed;
}

SeededPairs pair_seeds(const Column& first, const Column& second) {
  SeededPairs pairs{
      static_cast<int>(first.seeds.size()), static_cast<int>(second.seeds.size()), {}};
  for (std::size_t i = 0; i < first.problems(); ++i) {
    const auto one = passed_of(first.of(i)), other = passed_of(second.of(i));
    if (one && other) pairs.passed.emplace_back(*one, *other);
  }
  return pairs;
}

PairComparison compared(const Column& one, const Column& other) {
  PairComparison comparison{one.configuration, other.configuration, one.budget, one.pooled,
                            one.window == other.window ? one.window : 0};
  if (one.seeds.size() == 1 && other.seeds.size() == 1) {
    comparison.pairs = pair_up(one, other);
  } else {
    comparison.seeded = pair_seeds(one, other);
    comparison.pairs = comparison.seeded->counts();
  }
  return comparison;
}

double p_of(const PairComparison& one) {
  return one.seeded ? sign_flip_exact(*one.seeded)
                    : mcnemar_exact(one.pairs.only_first, one.pairs.only_second);
}

std::optional<long> needed_for(const PairComparison& one, double level) {
  return one.seeded ? needed_problems(*one.seeded, level) : needed_problems(one.pairs, level);
}

void correct(std::vector<PairComparison>& comparisons) {
  std::vector<PairComparison*> asked;
  std::vector<double> p;
  for (PairComparison& one : comparisons) {
    if (one.pairs.problems() == 0) continue;
    one.p = p_of(one);
    asked.push_back(&one);
    p.push_back(one.p);
  }
  const std::vector<double> corrected = holm_corrected(p);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i]->corrected_p = corrected[i];
    // A level that suffices wherever it comes in Holm's order.
    if (!asked[i]->decided())
      asked[i]->needed = needed_for(*asked[i], kLevel / static_cast<double>(asked.size()));
  }
}

// "4 windows" where it is so many, else "100 passes".
std::string budget_in_words(const PairComparison& comparison) {
  const auto [budget, window] = std::pair(comparison.budget, comparison.window);
  const bool whole = window > 0 && budget % window == 0;
  const long count = whole ? budget / window : budget;
  const std::string words = fmt::format("{} {}{}", count, whole ? "window" : "pass",
                                        count == 1 ? "" : (whole ? "s" : "es"));
  return comparison.pooled ? words + " per problem, pooled" : words;
}

// Two digits are enough of what is an estimate, and never too few problems.
long rounded_up(long problems) {
  long unit = 1;
  while (problems / unit >= 100) unit *= 10;
  return (problems + unit - 1) / unit * unit;
}

// ", 5 seeds", or ", 5 and 3 seeds".
std::string seeds_in_words(const PairComparison& comparison) {
  if (!comparison.seeded) return "";
  const auto [one, other] =
      std::pair(comparison.seeded->first_seeds, comparison.seeded->second_seeds);
  return one == other ? fmt::format(", {} seeds", one)
                      : fmt::format(", {} and {} seeds", one, other);
}

std::string p_in_words(double p) {
  return p < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.2g}", p);
}

}  // namespace

std::vector<PairComparison> compare(std::span<const Column> columns) {
  std::vector<PairComparison> comparisons;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      const Column &one = columns[i], &other = columns[j];
      if (one.budget != other.budget || one.pooled != other.pooled) continue;
      comparisons.push_back(compared(one, other));
    }
  }
  correct(comparisons);
  return comparisons;
}

std::string sentence_of(const PairComparison& comparison) {
  const Paired& pairs = comparison.pairs;
  const std::string at = budget_in_words(comparison);
  if (pairs.problems() == 0)
    return fmt::format("{} and {} were judged on no common problem at {}.", comparison.first,
                       comparison.second, at);
  const double difference = comparison.difference();
  const bool turned = difference < 0;
  const std::string &better = turned ? comparison.second : comparison.first,
                    &worse = turned ? comparison.first : comparison.second;
  const Interval interval = comparison.interval();
  const std::string found =
      fmt::format("{:+.1f} points, {:.1f} to {:.1f}, {}; {} problems{}", 100 * std::abs(difference),
                  100 * (turned ? -interval.high : interval.low),
                  100 * (turned ? -interval.low : interval.high),
                  p_in_words(comparison.corrected_p), pairs.problems(), seeds_in_words(comparison));
  if (comparison.decided())
    return fmt::format("{} solves more than {} at {}: {}.", better, worse, at, found);
  if (comparison.needed)
    return fmt::format(
        "Whether {} solves more than {} at {} is open: {}. For a difference like this about {} "
        "would be needed.",
        better, worse, at, found, rounded_up(*comparison.needed));
  return fmt::format("{} and {} solve equally many at {}: {}.", better, worse, at, found);
}

nlohmann::ordered_json comparison_json(const PairComparison& comparison) {
  const Paired& pairs = comparison.pairs;
  const Interval interval = comparison.interval();
  using Ordered = nlohmann::ordered_json;
  Ordered json = {{"first", comparison.first},
                  {"second", comparison.second},
                  {"budget", comparison.budget},
                  {"pooled", comparison.pooled},
                  {"problems", pairs.problems()},
                  {"only_first", pairs.only_first},
                  {"only_second", pairs.only_second},
                  {"difference", comparison.difference()},
                  {"interval", {interval.low, interval.high}},
                  {"test", comparison.seeded ? "sign-flip" : "mcnemar"},
                  {"p", comparison.p},
                  {"mcnemar_p", comparison.seeded ? Ordered(nullptr) : Ordered(comparison.p)},
                  {"corrected_p", comparison.corrected_p},
                  {"decided", comparison.decided()},
                  {"needed", comparison.needed ? Ordered(*comparison.needed) : Ordered(nullptr)},
                  {"sentence", sentence_of(comparison)}};
  if (comparison.seeded)
    json["seeds"] = {comparison.seeded->first_seeds, comparison.seeded->second_seeds};
  return json;
}

}  // namespace umf
