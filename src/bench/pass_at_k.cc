#include "bench/pass_at_k.h"

#include <algorithm>

namespace umf {

double pass_at_k(const std::vector<SampleTally>& problems, int k) {
  double sum = 0;
  for (const SampleTally& tally : problems) {
    const int wrong = tally.samples - tally.right;
    double all_wrong = wrong < k ? 0 : 1;
    for (int j = wrong + 1; j <= tally.samples; ++j) all_wrong *= 1 - static_cast<double>(k) / j;
    sum += 1 - all_wrong;
  }
  return sum / static_cast<double>(problems.size());
}

std::vector<int> pass_at_k_choices(const std::vector<SampleTally>& problems) {
  std::vector<int> choices;
  for (const int k : {1, 2, 5, 10, 20, 50, 100}) {
    const bool enough = !problems.empty() &&
                        std::all_of(problems.begin(), problems.end(),
                                    [k](const SampleTally& tally) { return tally.samples >= k; });
    if (enough) choices.push_back(k);
  }
  return choices;
}

}  // namespace umf
