// A run of umf bench on a page.
#pragma once

#include <string>

#include "bench/run_directory.h"
#include "report/report.h"

namespace umf {

// The run as far as it is. Throws Error for files that are damaged.
void add_run(Report& report, const RunDirectory& run, const std::string& name);

}  // namespace umf
