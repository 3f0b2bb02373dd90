#include "search/best_of_n.h"

#include "search/forecast.h"

namespace umf {

BestOfN::BestOfN(Place root, int action, const BestOfNOptions& options)
    : root_(root), action_(action), options_(options) {}

std::optional<Trial> BestOfN::ask() {
  const bool enough = options_.samples > 0 && samples_ >= options_.samples;
  if (enough || !feasible_ || root_.masks == 0) return std::nullopt;
  return Trial{root_.state, action_, static_cast<std::uint64_t>(samples_) + 1};
}

void BestOfN::tell(const Trial&, const Outcome& outcome) {
  feasible_ = outcome.feasible;
  if (feasible_) ++samples_;
}

// Whatever the rewards, the next sample follows.
std::vector<Foreseen> BestOfN::forecast(const Outlook& outlook,
                                        const ForecastOptions& options) const {
  return rehearse(*this, outlook, options, /*certain=*/true);
}

}  // namespace umf
