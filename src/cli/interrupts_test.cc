#include "cli/interrupts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

namespace umf {
namespace {

constexpr int kSurvived = 7;

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// The signal that ends a process which watches for interrupts and does this; 0 where it survives.
int end_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    watch_for_interrupts();
    work();
    ::_exit(kSurvived);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), kSurvived);
  return 0;
}

TEST(Interrupts, TheFirstSignalAsksToStop) {
  EXPECT_EQ(end_of([] {
              if (interrupted() || interrupt_token().stop_requested()) ::_exit(1);
              ::raise(SIGTERM);
              if (interrupting_signal() != SIGTERM) ::_exit(2);
              while (!interrupt_token().stop_requested()) sleep_ms(1);
            }),
            0);
}

TEST(Interrupts, ASecondSignalAtOnceIsTheSameRequest) {
  EXPECT_EQ(end_of([] {
              ::raise(SIGTERM);
              ::raise(SIGTERM);
            }),
            0);
}

TEST(Interrupts, AThirdSignalKills) {
  EXPECT_EQ(end_of([] {
              for (int i = 0; i < 3; ++i) ::raise(SIGTERM);
            }),
            SIGTERM);
}

TEST(Interrupts, ALaterSignalKills) {
  EXPECT_EQ(end_of([] {
              ::raise(SIGINT);
              sleep_ms(2100);
              ::raise(SIGTERM);
            }),
            SIGTERM);
}

TEST(Interrupts, BeforeWorkBeginsASignalMayJustEndTheProcessWithAStatus) {
  const pid_t child = ::fork();
  if (child == 0) {
    leave_on({SIGUSR1, SIGTERM}, 75);
    ::raise(SIGUSR1);
    ::_exit(kSurvived);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 75);
  EXPECT_EQ(end_of([] {
              leave_on({SIGTERM}, 75);
              watch_for_interrupts();
              ::raise(SIGTERM);
            }),
            0)
      << "once it watches, it is asked to stop";
}

}  // namespace
}  // namespace umf
