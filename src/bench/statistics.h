// What a number of passed problems says, and what a difference between two configurations says.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace umf {

struct Interval {
  double low = 0, high = 1;
};

// Wilson's score interval at 95 % for a share; everything when nothing was tried.
Interval wilson_interval(int passed, int tried);
// The same for a share of what is worth so many tries.
Interval wilson_interval_at(double share, double tries);

// How two configurations did on the same problems.
struct Paired {
  int both = 0, only_first = 0, only_second = 0, neither = 0;

  int problems() const { return both + only_first + only_second + neither; }
  double difference() const;  // the first's share less the second's
};

// 95 % for the difference of the shares: Newcombe's square-and-add with the correlation of the
// pairs and its continuity correction (Statistics in Medicine 17, 1998, method 10).
Interval paired_interval(const Paired& pairs);

// The square-and-add alone: for the difference of two estimates with their intervals.
Interval difference_interval(double first, const Interval& of_first, double second,
                             const Interval& of_second, double correlation);

// McNemar's exact test, two-sided: how often a fair coin would split the discordant problems at
// least as unevenly.
double mcnemar_exact(int only_first, int only_second);

// Holm's step-down correction (Scandinavian Journal of Statistics 6, 1979): what each p becomes
// when all of them are held to one level together. In the order given.
std::vector<double> holm_corrected(std::span<const double> p);

// How many problems McNemar's test would need to find, in four of five samples, a difference like
// that of `pairs`, two-sided at `level` (Connor, Biometrics 43, 1987); nothing where there is none.
std::optional<long> needed_problems(const Paired& pairs, double level);
// The same where problems differ by this in the mean, and by this in the mean square.
std::optional<long> needed_problems(double difference, double mean_square, double level);

}  // namespace umf
