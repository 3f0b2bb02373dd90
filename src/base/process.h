// Running another program: input, captured output, and a time limit that holds for its children
// too.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

struct ProcessLimits {
  int timeout_ms = 60'000;
  std::size_t output_bytes = 1 << 20;  // of stdout; what comes after is dropped
};

struct ProcessResult {
  int exit_status = 0;     // of a program that ended by itself
  int signal = 0;          // that ended it, or 0
  bool timed_out = false;  // it was killed, with everything in its process group
  bool stopped = false;    // likewise, because it was asked for
  std::string out;
};

// Runs argv[0] (looked up in PATH) with `input` on its stdin; its stderr is ours. Throws Error when
// it cannot be started. Once `stop` is asked for, the program is killed. May be called from several
// threads.
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input,
                          const ProcessLimits& limits = {}, std::stop_token stop = {});

}  // namespace umf
