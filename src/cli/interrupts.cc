#include "cli/interrupts.h"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <thread>

namespace umf {
namespace {

constexpr std::int64_t kSameRequestMs = 2000;

// Only what a signal handler may touch: it runs on whichever thread the signal finds, and on two
// of them at once when two signals come.
std::atomic<int> first_signal = 0;
std::atomic<int> signals_seen = 0;
std::atomic<std::int64_t> first_ms = 0;
sem_t asked;
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // takes effect when the handler returns
}

void on_signal(int signal) {
  const int number = ++signals_seen;
  if (number == 1) {
    first_ms = now_ms();
    first_signal = signal;
    ::sem_post(&asked);
  } else if (number > 2 || (first_ms != 0 && now_ms() - first_ms > kSameRequestMs)) {
    die_of(signal);
  }
}

std::atomic<int> leaving_status = 0;

void leave(int) { ::_exit(leaving_status); }

// Never destroyed: threads may hold its tokens to the last.
std::stop_source& source() {
  static auto& made = *new std::stop_source;
  return made;
}

// A handler may not call request_stop(), which runs callbacks and takes locks.
void start_relay() {
  ::sem_init(&asked, 0, 0);
  std::thread([] {
    while (::sem_wait(&asked) != 0) {
    }
    source().request_stop();
  }).detach();
}

}  // namespace

void leave_on(std::initializer_list<int> signals, int status) {
  leaving_status = status;
  for (const int signal : signals) std::signal(signal, leave);
}

void watch_for_interrupts(std::initializer_list<int> signals) {
  static const bool started = (start_relay(), true);
  static_cast<void>(started);
  for (const int signal : signals) std::signal(signal, on_signal);
}

bool interrupted() { return first_signal != 0; }

int interrupting_signal() { return first_signal; }

std::stop_token interrupt_token() { return source().get_token(); }

}  // namespace umf
