// The tables and figures of runs as files for papers and programs.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/loaded_run.h"

namespace umf {

// Writes into `folder`, which is made, and gives the names of the files: scores, costs and problems
// of each run and the comparisons as .csv and .tex, and the scaling figure as .svg. With several
// runs those of one begin with its name.
std::vector<std::string> export_runs(const std::vector<LoadedRun>& runs,
                                     const std::filesystem::path& folder);

}  // namespace umf
