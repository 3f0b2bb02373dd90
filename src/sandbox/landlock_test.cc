// The fallback without namespaces: fewer things work inside, but nothing gets out.
#include "sandbox/landlock.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "sandbox/hostile_candidates_testing.h"
#include "sandbox/hostile_commands_testing.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

class Landlock : public testing::Test {
 protected:
  void SetUp() override {
    const std::string objection = objection_to(Walls::kLandlock);
    if (!objection.empty()) GTEST_SKIP() << objection;
    sandbox_ = make_warm_sandbox(Walls::kLandlock, 2);
  }

  CommandResult run_source(const std::string& source, bool short_time) {
    CommandJob job{{"/usr/bin/python3", "-S", "main.py"}, "in", {{"main.py", source}}};
    job.limits = hostile_limits(short_time);
    return sandbox_->run(job);
  }

  std::unique_ptr<Sandbox> sandbox_;
};

TEST_F(Landlock, HonestCommandRuns) {
  const CommandResult result = run_source("print(input() + '!')", false);
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason << result.err;
  EXPECT_EQ(result.out, "in!\n");
}

TEST_F(Landlock, ProgramsCannotWriteFilesStartOthersOrSignal) {
  const CommandResult result = run_source(std::string(kPrelude) + R"py(
attempt("write", lambda: open("x", "w"))
attempt("write", lambda: open("/tmp/umf-hostile", "w"))
attempt("fork", os.fork)
attempt("spawn", lambda: os.posix_spawn("/usr/bin/true", ["true"], {}))
attempt("kill", lambda: os.kill(os.getppid(), 0))
attempt("list", lambda: os.listdir("/tmp"))
print("contained")
)py",
                                          false);
  EXPECT_EQ(result.out, "contained\n") << result.err;
}

TEST_F(Landlock, HostileCommandsAreContained) {
  const std::string prelude = fmt::format("{}SOURCE_FOLDER = '{}'\n", kPrelude, UMF_SOURCE_DIR);
  for (const HostileCommand& program : kCommands) {
    SCOPED_TRACE(program.name);
    if (program.ending == Ending::kTimeout && std::string_view(program.name) != "ForkBomb")
      continue;
    // What cannot fork or write ends in another way than in namespaces, but it ends.
    const CommandResult result = run_source(prelude + program.source, true);
    EXPECT_NE(result.ending, Ending::kSandboxError) << result.reason;
    EXPECT_THAT(result.out, Not(HasSubstr("ESCAPED")));
    EXPECT_TRUE(only_the_zygote_is_left());
  }
  expect_nothing_changed_outside();
}

TEST_F(Landlock, HostileCandidatesAreContained) {
  for (const HostileCandidate& program : kCandidates) {
    SCOPED_TRACE(program.name);
    if (std::string_view(program.outcome) == "timeout") continue;  // seen in namespaces
    const Json call = {{"call", "f"}, {"seconds", 0.2}};
    const Json honest = {{"source", "def f(): return 6 * 7"}, {"calls", {{{"call", "f"}}}}};
    const Json hostile = {
        {"source", std::string(kPrelude) + program.source}, {"seconds", 0.2}, {"calls", {call}}};
    const Json payload = {{"programs", {hostile, honest}}, {"secret", kSecret}};
    const PythonResult result =
        sandbox_->run(PythonJob{"self_test", payload.dump(), hostile_limits(false)});
    EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
    EXPECT_THAT(result.reports, HasSubstr(R"("value": "42")"));
    EXPECT_TRUE(only_the_zygote_is_left());
  }
  expect_nothing_changed_outside();
}

}  // namespace
}  // namespace umf
