#include "server/judging_bounds.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/api_error.h"

namespace umf {
namespace {

constexpr double kDefaultTimeoutMs = 5000;  // as rewards have it

struct JudgingCost {
  std::size_t tests = 0;
  double seconds = 0;
};

// Tests have a time limit each, and so has what comes before them.
void add(const Json& spec, JudgingCost& cost) {
  if (!spec.is_object()) return;
  if (const auto parts = spec.find("of"); parts != spec.end() && parts->is_array()) {
    for (const Json& part : *parts) add(part, cost);
  }
  const auto tests = spec.find("tests");
  const std::size_t count = tests != spec.end() && tests->is_array() ? tests->size() : 0;
  const auto timeout = spec.find("timeout_ms");
  const bool given = timeout != spec.end() && timeout->is_number();
  if (!given && count == 0) return;
  cost.tests += count;
  cost.seconds += static_cast<double>(count + 1) *
                  (given ? std::max(0.0, timeout->get<double>()) : kDefaultTimeoutMs) / 1000;
}

}  // namespace

void check_judging_bounds(const Json& spec, double seconds) {
  JudgingCost cost;
  add(spec, cost);
  if (cost.tests > kMostTests)
    throw bad_request("umf.reward.tests", fmt::format("may be at most {}", kMostTests));
  if (cost.seconds > seconds) {
    throw bad_request("umf.reward.timeout_ms",
                      fmt::format("lets {} tests take {:.0f} s for one answer, and this server "
                                  "allows {:.0f} s; give less time or fewer tests",
                                  cost.tests, cost.seconds, seconds));
  }
}

}  // namespace umf
