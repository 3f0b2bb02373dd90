// The tables of a run, from its summary: what was solved, what it cost, which differences there
// are.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/table.h"

namespace umf {

// `groups` and `comparisons` are as summary.json has them.
Table score_table(const nlohmann::ordered_json& groups);
Table cost_table(const nlohmann::ordered_json& groups);
Table comparison_table(const nlohmann::ordered_json& comparisons);
// By configuration, budget and seed; none of groups with one seed.
nlohmann::ordered_json seeds_of(const nlohmann::ordered_json& groups);
Table seed_table(const nlohmann::ordered_json& seeds);

// The same for programs, with all digits.
std::vector<CsvColumn> score_columns();
std::vector<CsvColumn> cost_columns();
std::vector<CsvColumn> seed_columns();
std::vector<CsvColumn> comparison_columns();

// A whole summary for a terminal, with the first configuration compared to each other one.
std::string summary_text(const nlohmann::ordered_json& summary);

}  // namespace umf
