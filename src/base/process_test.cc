#include "base/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/expect_error.h"

namespace umf {
namespace {

TEST(Process, InputGoesInAndOutputComesBack) {
  const std::string large(300'000, 'x');
  const ProcessResult result = run_process({"cat"}, large);
  EXPECT_EQ(result.out, large);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(run_process({"sh", "-c", "exit 7"}, "").exit_status, 7);
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, "").signal, 9);
}

TEST(Process, AProgramThatDoesNotReadItsInputIsFine) {
  EXPECT_EQ(run_process({"sh", "-c", "exec <&-; echo done"}, std::string(1'000'000, 'x')).out,
            "done\n");
}

TEST(Process, TheTimeLimitHoldsForItsChildrenToo) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(run_process({"sleep", "30"}, "", {.timeout_ms = 100}).timed_out);
  EXPECT_TRUE(run_process({"sh", "-c", "sleep 30 & sleep 30"}, "", {.timeout_ms = 100}).timed_out);
  EXPECT_TRUE(run_process({"sh", "-c", "exec >&-; sleep 30"}, "", {.timeout_ms = 100}).timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Process, AStopThatIsAskedForEndsIt) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* script : {"sleep 30", "exec >&-; sleep 30"}) {
    std::stop_source source;
    std::jthread asks([&source] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      source.request_stop();
    });
    const ProcessResult result = run_process({"sh", "-c", script}, "", {}, source.get_token());
    EXPECT_TRUE(result.stopped);
    EXPECT_FALSE(result.timed_out);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Process, EndlessOutputIsCut) {
  const ProcessResult result = run_process({"yes"}, "", {.timeout_ms = 300, .output_bytes = 1000});
  EXPECT_EQ(result.out.size(), 1000);
  EXPECT_TRUE(result.timed_out);
}

TEST(Process, AProgramThatIsNotThereIsAnError) {
  EXPECT_ERROR(run_process({"/no/such/program"}, ""), "cannot run '/no/such/program'");
}

}  // namespace
}  // namespace umf
