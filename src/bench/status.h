// How far a run is, from its directory alone. Writes nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/run_directory.h"

namespace umf {

// {"total","done","failed","running","stale","waiting","complete","per_hour","seconds_left",
// "jobs":[what is running or stale],"failures":[...]}; counts are results, problem × configuration
// × budget, but for running and stale, which are jobs.
nlohmann::ordered_json run_status(const RunDirectory& run);

std::string status_text(const nlohmann::ordered_json& status);

}  // namespace umf
