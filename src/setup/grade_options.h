// What `umf grade` is asked for, by the names of its options.
#pragma once

#include <string>

#include "bench/sample_grading.h"
#include "setup/common_options.h"

namespace umf {

struct GradeOptions {
  std::string dataset, samples, tests = "all", ids;
  DatasetOptions choice;
  int workers = 0;
  bool unsafe = false, details = false, all_tests = false;

  void declare(OptionSet& options);  // all but the two files
  // Throws Error for what cannot be read.
  GradeRequest request() const;
};

}  // namespace umf
