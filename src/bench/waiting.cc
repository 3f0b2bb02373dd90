#include "bench/waiting.h"

#include <algorithm>
#include <utility>

namespace umf {
namespace {

constexpr double kShareOfTheWait = 0.1, kLongest = 10;
constexpr double kSpread = 0.25;

}  // namespace

Waiting::Waiting(double shortest, SteadySeconds clock)
    : shortest_(shortest), clock_(std::move(clock)) {}

double Waiting::next_pause(double due) {
  const double now = clock_();
  if (!since_) since_ = now;
  const double patience =
      std::clamp(kShareOfTheWait * (now - *since_), shortest_, std::max(shortest_, kLongest));
  return std::uniform_real_distribution<double>(1 - kSpread, 1 + kSpread)(random_) *
         std::max(patience, due);
}

}  // namespace umf
