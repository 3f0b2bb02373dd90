// What a search found and what it cost, as results report it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/json.h"
#include "session/configuration.h"
#include "solve/solution.h"

namespace umf {

// A number that JSON can hold: null for what is not finite.
OrderedJson finite(double value);

// {"reward","complete","search","actions","best"}: everything but the answer and the time.
OrderedJson solution_json(const Configuration& configuration, const Solution& solution);

}  // namespace umf
