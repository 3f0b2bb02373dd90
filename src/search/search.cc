#include "search/search.h"

#include <algorithm>
#include <cmath>

namespace umf {

double bounded(double reward) { return std::isnan(reward) ? 0.0 : std::clamp(reward, 0.0, 1.0); }

}  // namespace umf
