#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/elementary.h"

namespace umf {
namespace {

constexpr double kZ = 1.959963984540054;  // the normal quantile of 97.5 %

double correlation(const Paired& pairs) {
  const double a = pairs.both, b = pairs.only_first, c = pairs.only_second, d = pairs.neither;
  const double spread = (a + b) * (c + d) * (a + c) * (b + d);
  if (spread == 0) return 0;
  const double excess = a * d - b * c, correction = pairs.problems() / 2.0;
  const double corrected = excess > correction ? excess - correction : std::min(excess, 0.0);
  return corrected / std::sqrt(spread);
}

// Two distances from the estimates, added as sides of a triangle.
double combined(double one, double other, double correlation) {
  return std::sqrt(std::max(0.0, one * one - 2 * correlation * one * other + other * other));
}

double square(double x) { return x * x; }

// The share of the normal distribution below x, by a series whose terms have one sign.
double normal_below(double x) {
  double term = x, sum = 0;
  for (int n = 3; sum + term != sum; n += 2) {
    sum += term;
    term *= x * x / n;
  }
  return 0.5 + elementary::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi) * sum;
}

// Where the normal distribution has `share` below it, to the last digits of a double: there is
// nothing above 9 that one could tell from 1.
double normal_quantile(double share) {
  double low = -9, high = 9;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = (low + high) / 2;
    (normal_below(middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval wilson_interval(int passed, int tried) {
  return tried == 0 ? Interval{} : wilson_interval_at(static_cast<double>(passed) / tried, tried);
}

Interval wilson_interval_at(double share, double n) {
  const double z2 = kZ * kZ;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kZ / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  // Exact at the ends, where rounding would leave a speck.
  return {share == 0 ? 0 : centre - half, share == 1 ? 1 : centre + half};
}

double Paired::difference() const {
  return problems() == 0 ? 0 : static_cast<double>(only_first - only_second) / problems();
}

Interval paired_interval(const Paired& pairs) {
  const int n = pairs.problems();
  if (n == 0) return {-1, 1};
  const int first = pairs.both + pairs.only_first, second = pairs.both + pairs.only_second;
  const double p1 = static_cast<double>(first) / n, p2 = static_cast<double>(second) / n;
  return difference_interval(p1, wilson_interval(first, n), p2, wilson_interval(second, n),
                             correlation(pairs));
}

Interval difference_interval(double first, const Interval& of_first, double second,
                             const Interval& of_second, double correlation) {
  const double difference = first - second;
  return {difference - combined(first - of_first.low, of_second.high - second, correlation),
          difference + combined(of_first.high - first, second - of_second.low, correlation)};
}

double mcnemar_exact(int only_first, int only_second) {
  const int n = only_first + only_second, fewer = std::min(only_first, only_second);
  double tail = 0, log_share = -n * elementary::log(2.0);  // of the ways to choose k among all 2^n
  for (int k = 0; k <= fewer; ++k) {
    tail += elementary::exp(log_share);
    log_share += elementary::log(n - k) - elementary::log(k + 1);
  }
  return std::min(1.0, 2 * tail);
}

std::vector<double> holm_corrected(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double largest = 0;  // none is less than one that was rejected before it
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(p.size() - rank) * p[order[rank]]);
    corrected[order[rank]] = std::min(1.0, largest);
  }
  return corrected;
}

std::optional<long> needed_problems(const Paired& pairs, double level) {
  if (pairs.problems() == 0) return std::nullopt;
  const double discordant =
      static_cast<double>(pairs.only_first + pairs.only_second) / pairs.problems();
  return needed_problems(pairs.difference(), discordant, level);
}

std::optional<long> needed_problems(double difference, double mean_square, double level) {
  constexpr double kPower = 0.8;
  if (difference == 0) return std::nullopt;
  const double distance =
      normal_quantile(1 - level / 2) * std::sqrt(mean_square) +
      normal_quantile(kPower) * std::sqrt(std::max(0.0, mean_square - square(difference)));
  return static_cast<long>(std::ceil(square(distance / difference)));
}

}  // namespace umf
