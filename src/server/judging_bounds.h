// How much judging a request may ask for.
#pragma once

#include "base/json.h"

namespace umf {

// Of one request: rewards may hold rewards.
inline constexpr std::size_t kMostTests = 1000;

// Throws ApiError 400, naming the field, where the tests of a reward are too many, or may take
// longer than `seconds` for one answer if every one of them uses all of its time. `spec` may be
// anything.
void check_judging_bounds(const Json& spec, double seconds);

}  // namespace umf
