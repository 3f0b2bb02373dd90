// What the results of a run say, for programs; run_tables has it for people.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/result.h"
#include "bench/run_directory.h"

namespace umf {

// {"complete","problems","groups":[one per configuration × budget],"comparisons":[one per pair of
// configurations with a common budget]}, and with pooled budgets "pools", {"groups","comparisons"}
// over what each problem got of its pool. What could not be searched or judged is counted, and left
// out of every share and mean. All comparisons are corrected together.
nlohmann::ordered_json summarise(const Manifest& manifest,
                                 const std::map<ResultKey, Result>& results);

}  // namespace umf
