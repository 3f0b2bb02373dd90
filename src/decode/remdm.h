// The schedules of ReMDM (docs/algorithm.md#remdm): how likely cells are masked again and unmasked
// at a time. Time runs from 1, where all is masked, to nearly 0.
#pragma once

#include <span>
#include <vector>

#include "decode/action.h"

namespace umf {

// A step goes from time t to the earlier share of masks at s < t.
struct RemdmTimes {
  double t = 1, s = 0;
};
RemdmTimes remdm_times(int step, int steps);

// The published strength of a form; 0 where it has none.
double recommended_eta(Remask form);

// The share of the cells that are committed at time t.
double remdm_alpha(Remask form, double t);

// The probability that a committed cell is masked again in a step; for conf it is shared out by
// conf_shares(). Never so large that more would be masked at s than the schedule has.
double remdm_sigma(Remask form, double eta, RemdmTimes times);

// The probability that a masked cell stays masked, when committed ones are remasked with `sigma`.
double stay_masked(Remask form, double sigma, RemdmTimes times);

// conf: each cell's share of the remasking, softmax(-confidence); `confidences` are those of the
// committed cells, taken when they were committed.
std::vector<double> conf_shares(std::span<const double> confidences);

}  // namespace umf
