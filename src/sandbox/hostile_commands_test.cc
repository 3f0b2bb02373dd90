// Hostile programs that run as commands.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/hostile_commands_testing.h"
#include "sandbox/hostile_testing.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandResult run_source(Sandbox& sandbox, const std::string& source, bool short_time = false) {
  CommandJob job{{"/usr/bin/python3", "-S", "main.py"}, "", {{"main.py", source}}};
  job.limits = hostile_limits(short_time);
  return sandbox.run(job);
}

// One test for all: starting the interpreter for each would take longer than the programs.
TEST(HostileCommands, AreContained) {
  auto sandbox = make_sandbox();
  const std::string prelude = fmt::format("{}SOURCE_FOLDER = '{}'\n", kPrelude, UMF_SOURCE_DIR);
  for (const HostileCommand& program : kCommands) {
    SCOPED_TRACE(program.name);
    const CommandResult result =
        run_source(*sandbox, prelude + program.source, program.ending == Ending::kTimeout);
    EXPECT_STREQ(name_of(result.ending), name_of(program.ending))
        << result.reason << "\n"
        << result.out.substr(0, 1000) << "\n"
        << result.err.substr(0, 1000);
    EXPECT_THAT(result.out, Not(HasSubstr("ESCAPED")));
    if (program.ending == Ending::kExited) {
      EXPECT_EQ(result.out, program.says) << result.err;
    }
    EXPECT_LE(result.out.size(), hostile_limits(false).output_bytes);
    EXPECT_LE(result.err.size(), hostile_limits(false).output_bytes);
    EXPECT_EQ(run_source(*sandbox, "print(6 * 7)").out, "42\n") << "the next job";
    EXPECT_TRUE(only_the_zygote_is_left());
  }
  sandbox.reset();
  EXPECT_TRUE(nothing_is_left());
  expect_nothing_changed_outside();
}

}  // namespace
}  // namespace umf
