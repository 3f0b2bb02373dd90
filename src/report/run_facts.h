// What the files of a run say beside its results, for a page.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/run_directory.h"

namespace umf {

struct RunConfiguration {
  std::string name, search;
  int window = 0;
  std::vector<long> budgets;
  std::vector<std::string> actions;  // names
};

// Throws Error where config.json lacks something or has another type there.
std::vector<RunConfiguration> run_configurations(const Manifest& manifest);
nlohmann::ordered_json configurations_json(const std::vector<RunConfiguration>& configurations);

// Pairs of label and value: where the numbers come from.
nlohmann::ordered_json run_facts(const Manifest& manifest);

// By id; none where the run has no problems.jsonl.
std::map<std::string, std::string> read_prompts(const RunDirectory& run);

}  // namespace umf
