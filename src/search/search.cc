#include "search/search.h"

#include <algorithm>
#include <cmath>

#include "search/forecast.h"

namespace umf {

double bounded(double reward) { return std::isnan(reward) ? 0.0 : std::clamp(reward, 0.0, 1.0); }

std::vector<Foreseen> Search::forecast(const Outlook&, const ForecastOptions&) const { return {}; }

}  // namespace umf
