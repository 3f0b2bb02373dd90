#include "bench/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/table.h"

namespace umf {
namespace {

TEST(StatusText, FitsATerminal) {
  const nlohmann::ordered_json status = {
      {"done", 12096},
      {"total", 24000},
      {"judged", 12095},
      {"left", 11904},
      {"failed", 12},
      {"running", 16},
      {"stale", 3},
      {"per_hour", 3831.14},
      {"seconds_left", 11190.0},
      {"left_out", 24},
      {"jobs",
       {{{"state", "running"},
         {"id", "LiveCodeBench/abc301_a"},
         {"configuration", "unmaskfork-with-three-models"},
         {"host", "node-17.cluster.example.org"},
         {"pid", 123456},
         {"since", 0.0}}}},
      {"failures",
       {{{"status", "failed"},
         {"id", "HumanEval/163"},
         {"configuration", "umf-3"},
         {"budget", 12288},
         {"why", "the judge failed three times in a row: it ended with status 1 after 3000 ms"}}}}};
  const std::string text = status_text(status);
  EXPECT_THAT(text, testing::StartsWith("12096 of 24000 done, 12095 of them judged, "));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), kTerminalColumns) << line;
}

}  // namespace
}  // namespace umf
