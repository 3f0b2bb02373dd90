#include "base/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/stop_descriptor.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

// The two ends of a pipe; closed when they go.
struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

pid_t start(const std::vector<std::string>& argv, const Pipe& input, const Pipe& output) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.write, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that a time-out reaches its children; signals as a fresh program expects
  // them.
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, words[0], &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0)
    throw Error(fmt::format("cannot run '{}': {}", argv[0], std::strerror(failure)));
  return child;
}

// Feeds and drains the child until it closes its output or the time is over.
class Exchange {
 public:
  Exchange(Pipe& input, Pipe& output, std::string_view bytes, const ProcessLimits& limits, int stop)
      : input_(input),
        output_(output),
        rest_(bytes),
        limits_(limits),
        stop_(stop),
        deadline_(Clock::now() + std::chrono::milliseconds(limits.timeout_ms)) {
    ::fcntl(input_.write, F_SETFL, O_NONBLOCK);
  }

  enum class End { kClosed, kTime, kStop };
  End run(std::string& out) {
    while (output_.read >= 0) {
      if (rest_.empty()) Pipe::close_end(input_.write);
      pollfd ends[3] = {{output_.read, POLLIN, 0}, {input_.write, POLLOUT, 0}, {stop_, POLLIN, 0}};
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      if (left <= 0) return End::kTime;
      if (::poll(ends, 3, static_cast<int>(left)) <= 0) continue;
      if (ends[2].revents != 0) return End::kStop;
      if (ends[1].revents != 0) feed();
      if (ends[0].revents != 0) drain(out);
    }
    return End::kClosed;
  }

  Clock::time_point deadline() const { return deadline_; }

 private:
  void feed() {
    const ssize_t put = ::write(input_.write, rest_.data(), rest_.size());
    if (put >= 0)
      rest_.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EAGAIN && errno != EINTR)
      rest_ = {};  // it does not read: that is its own affair
  }

  void drain(std::string& out) {
    char chunk[1 << 14];
    const ssize_t got = ::read(output_.read, chunk, sizeof chunk);
    if (got > 0 && out.size() < limits_.output_bytes) {
      out.append(chunk, std::min(static_cast<std::size_t>(got), limits_.output_bytes - out.size()));
    }
    if (got == 0) Pipe::close_end(output_.read);
  }

  Pipe &input_, &output_;
  std::string_view rest_;
  ProcessLimits limits_;
  int stop_;
  Clock::time_point deadline_;
};

// Waits for the end of a child that has closed its output.
Exchange::End wait_until(pid_t child, Clock::time_point deadline, const std::stop_token& stop,
                         int& status) {
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (stop.stop_requested()) return Exchange::End::kStop;
    if (Clock::now() >= deadline) return Exchange::End::kTime;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Exchange::End::kClosed;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input,
                          const ProcessLimits& limits, std::stop_token stop) {
  // A child that does not read its input must not end us.
  static const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(ignored);
  Pipe to_child, from_child;
  const pid_t child = start(argv, to_child, from_child);
  Pipe::close_end(to_child.read);
  Pipe::close_end(from_child.write);
  ProcessResult result;
  const StopDescriptor asked(stop);
  Exchange exchange(to_child, from_child, input, limits, asked.get());
  int status = 0;
  Exchange::End end = exchange.run(result.out);
  if (end == Exchange::End::kClosed) end = wait_until(child, exchange.deadline(), stop, status);
  // Whatever it left behind goes with it.
  ::kill(-child, SIGKILL);
  result.timed_out = end == Exchange::End::kTime;
  result.stopped = end == Exchange::End::kStop;
  if (end != Exchange::End::kClosed) {
    ::waitpid(child, &status, 0);
    return result;
  }
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace umf
