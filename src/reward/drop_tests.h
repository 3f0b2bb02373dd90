// Searching with fewer public tests than there are: how much does a search need them?
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace umf {

// `spec` without some of its tests: each is dropped with probability `rate`, drawn from the seed,
// the problem's id and the test's number alone. At least one test is kept where there was one, the
// one whose draw was highest, because a search without any reward would be another experiment.
// Specs that have no separate tests stay as they are. Throws Error unless 0 <= rate <= 1.
Json drop_tests(const Json& spec, const std::string& id, double rate, std::uint64_t seed);

}  // namespace umf
