// How many cells a forward pass commits: ours, and those of the reference loops.
#pragma once

#include <string>
#include <vector>

namespace umf {

enum class Schedule {
  kSteady,  // a fixed number per pass, 1 by default: ours
  kLlada,   // each block's masks spread evenly over its steps, the remainder first
  kDream,   // int(masks * (1 - s/t)) on an even grid of times from 1 to eps
};

Schedule parse_schedule(const std::string& name);  // "steady", "llada", "dream"

// LLaDA's quota list: `masks` over `steps`, one more for the first masks % steps.
std::vector<int> llada_quota(int masks, int steps);

// Dream's time grid in float32, as the reference computes it. Step i goes from time(i) to time(i +
// 1).
class DreamTimes {
 public:
  explicit DreamTimes(int steps, float eps = 1e-3f) : steps_(steps), eps_(eps) {}
  float time(int i) const;
  // The share of the masks that step i commits: 1 - s/t, and 1 at the last step.
  float share(int i) const;
  // How many of `masks` step i commits; 0 is possible, and the pass is spent all the same.
  int count(int i, int masks) const;

 private:
  int steps_;
  float eps_;
};

// The masks that step i of p2's `steps` leaves of `cells`: an even share less each time.
int p2_masks(int cells, int steps, int i);

// The time of a state with `masks` of `cells` masked, for rules that depend on time: equals the
// grid's when one token has been committed per step.
double state_time(int masks, int cells, double eps = 1e-3);

// Dream-Coder's padding penalty: what is added to the logit of padding at `time`.
double padding_bias(double weight, double time, double eps = 1e-3);

}  // namespace umf
