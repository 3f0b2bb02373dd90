// How often at least one of k samples is right.
#pragma once

#include <vector>

namespace umf {

struct SampleTally {  // of one problem
  int samples = 0, right = 0;
};

// The unbiased estimate, meaned over problems: for n samples of which c are right, the chance that
// k of them drawn without replacement hold a right one. Every tally has at least k samples.
double pass_at_k(const std::vector<SampleTally>& problems, int k);

// The k that are worth reporting: 1, 2, 5, 10, 20, 50, 100 as far as every problem has so many
// samples.
std::vector<int> pass_at_k_choices(const std::vector<SampleTally>& problems);

}  // namespace umf
