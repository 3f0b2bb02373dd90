// What shares and differences say where each problem was searched with several seeds. Seeds of one
// problem are no further problems: what varies between problems is what an interval is about.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/statistics.h"

namespace umf {

// 95 % for the mean of problems' shares: Wilson's interval, with as many tries as the spread
// between problems says that all tries are worth (Kish's design effect): at least one for each
// problem, at most all. With one seed each it is Wilson's.
Interval clustered_interval(std::span<const double> shares, int tried);

// How two configurations did on the same problems, each with its seeds.
struct SeededPairs {
  int first_seeds = 1, second_seeds = 1;
  std::vector<std::pair<int, int>> passed;  // by problem: with how many of its seeds each passed

  int problems() const { return static_cast<int>(passed.size()); }
  double difference() const;  // the first's mean share less the second's
  // Problems by which of both passed more of its seeds.
  Paired counts() const;
};

// 95 % for the difference: square-and-add of the clustered intervals, with the correlation of the
// problems' shares and Newcombe's continuity correction. With one seed each it is
// paired_interval().
Interval paired_interval(const SeededPairs& pairs);

// The exact sign-flip test, two-sided: were both alike, each problem's difference might as well
// have the other sign; how often would such a sum be as far from 0 as theirs? With one seed each it
// is McNemar's exact test.
double sign_flip_exact(const SeededPairs& pairs);

// As needed_problems() for one seed each.
std::optional<long> needed_problems(const SeededPairs& pairs, double level);

}  // namespace umf
