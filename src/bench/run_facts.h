// What the files of a run say beside its results, for a page.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/loaded_run.h"
#include "report/report.h"

namespace umf {

// Throws Error where config.json lacks something or has another type there.
std::vector<ReportedConfiguration> run_configurations(const Manifest& manifest);

// Pairs of label and value: when and how the run was made, and what of.
nlohmann::ordered_json run_facts(const LoadedRun& run);

// By id; none where the run has no problems.jsonl.
std::map<std::string, std::string> read_prompts(const RunDirectory& run);

}  // namespace umf
