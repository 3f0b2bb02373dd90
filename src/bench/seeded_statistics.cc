#include "bench/seeded_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace umf {
namespace {

struct Shares {
  std::vector<double> first, second;
};

Shares shares_of(const SeededPairs& pairs) {
  Shares shares;
  for (const auto& [one, other] : pairs.passed) {
    shares.first.push_back(static_cast<double>(one) / pairs.first_seeds);
    shares.second.push_back(static_cast<double>(other) / pairs.second_seeds);
  }
  return shares;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double covariance(std::span<const double> one, std::span<const double> other) {
  const double m = mean(one), n = mean(other);
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += (one[i] - m) * (other[i] - n);
  return sum / static_cast<double>(one.size());
}

double correlation(const Shares& shares) {
  const double spread =
      covariance(shares.first, shares.first) * covariance(shares.second, shares.second);
  if (!(spread > 0)) return 0;
  const double found = covariance(shares.first, shares.second),
               correction = 0.5 / static_cast<double>(shares.first.size());
  const double corrected = found > correction ? found - correction : std::min(found, 0.0);
  return std::clamp(corrected / std::sqrt(spread), -1.0, 1.0);
}

// In the least common unit.
std::vector<long> whole_differences(const SeededPairs& pairs) {
  std::vector<long> differences;
  long unit = 0;
  for (const auto& [one, other] : pairs.passed) {
    const long difference =
        static_cast<long>(one) * pairs.second_seeds - static_cast<long>(other) * pairs.first_seeds;
    if (difference != 0) differences.push_back(difference);
    unit = std::gcd(unit, difference);
  }
  for (long& difference : differences) difference /= unit;
  return differences;
}

}  // namespace

Interval clustered_interval(std::span<const double> shares, int tried) {
  if (shares.empty()) return {};
  const auto problems = static_cast<double>(shares.size());
  // Exact at the ends, as Wilson's is.
  const bool none = std::ranges::all_of(shares, [](double share) { return share == 0; }),
             all = std::ranges::all_of(shares, [](double share) { return share == 1; });
  if (none || all) return wilson_interval_at(all ? 1 : 0, problems);
  const double share = mean(shares), between = covariance(shares, shares);
  const double most = std::max(static_cast<double>(tried), problems);
  const double worth = between > 0 ? problems * share * (1 - share) / between : most;
  return wilson_interval_at(share, std::clamp(worth, problems, most));
}

double SeededPairs::difference() const {
  long first = 0, second = 0;
  for (const auto& [one, other] : passed) {
    first += one;
    second += other;
  }
  if (passed.empty()) return 0;
  const double scale = static_cast<double>(first_seeds) * second_seeds * problems();
  return static_cast<double>(first * second_seeds - second * first_seeds) / scale;
}

Paired SeededPairs::counts() const {
  Paired counts;
  for (const auto& [one, other] : passed) {
    const long difference =
        static_cast<long>(one) * second_seeds - static_cast<long>(other) * first_seeds;
    if (difference > 0) ++counts.only_first;
    if (difference < 0) ++counts.only_second;
    if (difference == 0) ++(one > 0 ? counts.both : counts.neither);
  }
  return counts;
}

Interval paired_interval(const SeededPairs& pairs) {
  if (pairs.problems() == 0) return {-1, 1};
  const Shares shares = shares_of(pairs);
  return difference_interval(
      mean(shares.first), clustered_interval(shares.first, pairs.problems() * pairs.first_seeds),
      mean(shares.second), clustered_interval(shares.second, pairs.problems() * pairs.second_seeds),
      correlation(shares));
}

// The sum of those that keep a plus sign, as a distribution over whole numbers: each of the
// differences is in it or not. The sum of all is then twice it, less what all together are.
double sign_flip_exact(const SeededPairs& pairs) {
  std::vector<long> differences = whole_differences(pairs);
  const long observed = std::labs(std::accumulate(differences.begin(), differences.end(), 0L));
  for (long& difference : differences) difference = std::labs(difference);
  std::ranges::sort(differences);
  const long all = std::accumulate(differences.begin(), differences.end(), 0L);
  std::vector<double> chance(all + 1);
  chance[0] = 1;
  long reached = 0;
  for (const long difference : differences) {
    reached += difference;
    for (long sum = reached; sum >= 0; --sum)
      chance[sum] = (chance[sum] + (sum < difference ? 0 : chance[sum - difference])) / 2;
  }
  double tail = 0;
  for (long sum = 0; sum <= all; ++sum) {
    if (std::labs(2 * sum - all) >= observed) tail += chance[sum];
  }
  return std::min(1.0, tail);
}

std::optional<long> needed_problems(const SeededPairs& pairs, double level) {
  const Shares shares = shares_of(pairs);
  double square = 0;
  for (std::size_t i = 0; i < shares.first.size(); ++i) {
    const double difference = shares.first[i] - shares.second[i];
    square += difference * difference;
  }
  return needed_problems(pairs.difference(), square / std::max(1, pairs.problems()), level);
}

}  // namespace umf
