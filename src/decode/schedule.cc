#include "decode/schedule.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>

#include "base/elementary.h"
#include "base/error.h"

namespace umf {

Schedule parse_schedule(const std::string& name) {
  if (name == "steady") return Schedule::kSteady;
  if (name == "llada") return Schedule::kLlada;
  if (name == "dream") return Schedule::kDream;
  throw Error(fmt::format("there is no schedule '{}'. Choose steady, llada or dream", name));
}

std::vector<int> llada_quota(int masks, int steps) {
  std::vector<int> quota(steps, masks / steps);
  for (int i = 0; i < masks % steps; ++i) ++quota[i];
  return quota;
}

// torch.linspace(1, eps, steps + 1) in float32: from the start in the first half, from the end in
// the second.
float DreamTimes::time(int i) const {
  const float step = (eps_ - 1.0f) / static_cast<float>(steps_);
  if (i < (steps_ + 1) / 2) return 1.0f + step * static_cast<float>(i);
  return eps_ - step * static_cast<float>(steps_ - i);
}

float DreamTimes::share(int i) const {
  return i + 1 < steps_ ? 1.0f - time(i + 1) / time(i) : 1.0f;
}

int DreamTimes::count(int i, int masks) const {
  return static_cast<int>(static_cast<float>(masks) * share(i));
}

int p2_masks(int cells, int steps, int i) {
  return static_cast<int>(static_cast<std::int64_t>(cells) * (steps - i - 1) / steps);
}

double state_time(int masks, int cells, double eps) { return eps + (1.0 - eps) * masks / cells; }

double padding_bias(double weight, double time, double eps) {
  return weight * elementary::log(1.0 - time + eps);
}

}  // namespace umf
