// Runs of umf bench on a page.
#pragma once

#include <vector>

#include "bench/loaded_run.h"
#include "report/report.h"

namespace umf {

// The runs as far as they are, and what comparing them says. Throws Error for files that are
// damaged.
void add_runs(Report& report, const std::vector<LoadedRun>& runs);

}  // namespace umf
