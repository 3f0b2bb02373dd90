#include "sandbox/job.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/stop_descriptor.h"
#include "sandbox/tree.h"

namespace umf {
namespace {

constexpr int kBeginMs = 20'000;  // for the zygote to fork and the warden to greet
constexpr int kFirstLookMs = 50;  // most jobs have ended by then
constexpr int kLookEveryMs = 25;
// A job that was suspended (SIGSTOP by a scheduler, a paused virtual machine) has lost this time.
constexpr double kStandstillSeconds = 1.0;
// A job that others kept waiting goes on for so many times its time before it is void.
constexpr double kPatience = 8.0;
constexpr double kUnseen = 0.15;  // of its waits: they were too short for looks, or cannot be told
constexpr double kLeastLook = 0.02;  // seconds: a program can make its tester ask again and again
constexpr int kTellMs = 5000;
constexpr std::size_t kHelloBytes = 5;
// Of the warden and the cell, on top of what the program may have.
constexpr int kOwnProcesses = 8;
constexpr std::size_t kOwnMemory = std::size_t{64} << 20;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

JobRun::JobRun(const Zygote& zygote, const std::string& module, const SandboxLimits& limits,
               Cgroup* group)
    : zygote_(zygote),
      module_(module),
      limits_(limits),
      group_(group),
      socket_(make_socket_pair(SOCK_STREAM)),
      reader_(std::max<std::size_t>(limits.output_bytes, 1 << 16) + (1 << 16)) {
  const int yes = 1;
  ::setsockopt(socket_.ours.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
}

int JobRun::collect(std::string& into) {
  DescriptorPair pipe = make_pipe_from_sandbox();
  streams_.push_back({std::move(pipe.ours), std::move(pipe.theirs), &into});
  return streams_.back().theirs.get();
}

double JobRun::elapsed_seconds() const { return now_seconds() - started_; }

bool JobRun::begin(const std::vector<std::string>& frames) {
  std::vector<int> descriptors = {socket_.theirs.get()};
  descriptors.insert(descriptors.end(), given_.begin(), given_.end());
  if (!zygote_.fork_warden(module_, descriptors)) return false;
  socket_.theirs.reset();
  for (Stream& stream : streams_) stream.theirs.reset();
  warden_ = receive_sender(socket_.ours.get(), kHelloBytes, kBeginMs);
  if (warden_ == 0) return false;
  // It waits for our frames, so it is alive and the number is still its own.
  warden_handle_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, warden_, 0)));
  if (!warden_handle_) return false;
  if (group_ != nullptr) group_->admit(warden_, limits_, kOwnProcesses, kOwnMemory);
  started_ = now_seconds();
  waits_ = KeptWaiting(started_);
  // What the interpreter has mapped before the job does anything; limits come on top of it.
  const std::string base_memory = std::to_string(address_space_of(warden_));
  inherited_bytes_ = resident_memory_of(warden_);
  if (!send_frame(socket_.ours.get(), 'b', base_memory, kBeginMs)) return false;
  for (const std::string& frame : frames) {
    if (!send_frame(socket_.ours.get(), 'f', frame, kBeginMs)) break;  // its end tells why
  }
  return true;
}

void JobRun::stop(Stop why) {
  if (stopped_ == Stop::kNo) stopped_ = why;
  // The warden is pid 1: all of its namespace goes with it.
  ::syscall(SYS_pidfd_send_signal, warden_handle_.get(), SIGKILL, nullptr, 0);
}

void JobRun::look() {
  const std::size_t memory_limit = limits_.memory_bytes + kOwnMemory;
  const TreeUse use = look_at_tree(warden_, memory_limit, inherited_bytes_);
  looked_ = now_seconds();
  waits_.look(looked_, use.each);
  end_.use.cpu_seconds = std::max(end_.use.cpu_seconds, use.cpu_seconds);
  end_.use.peak_memory_bytes = std::max(end_.use.peak_memory_bytes, use.memory_bytes);
  if (use.cpu_seconds * 1e3 > limits_.cpu_ms) stop(Stop::kCpu);
  if (limits_.tester_cpu_ms > 0) look_at_tester(use.root_cpu_seconds);
  // The kernel may have made room by killing one of several: the job went past its memory all the
  // same.
  const bool killed_for_memory = group_ != nullptr && group_->ran_out_of_memory();
  if (use.memory_bytes > memory_limit || killed_for_memory) stop(Stop::kMemory);
  if (use.processes > limits_.processes + kOwnProcesses) stop(Stop::kProcesses);
}

void JobRun::look_again() {
  if (now_seconds() - looked_ >= kLeastLook) look();
}

// The time of the whole job, for which it does not count that others kept it waiting.
void JobRun::look_at_time() {
  const double wall = limits_.wall_ms / 1e3, elapsed = elapsed_seconds();
  if (elapsed < wall) return;
  look_again();
  if (elapsed - (1 + kUnseen) * waits_.since(started_) >= wall)
    stop(Stop::kTime);
  else if (elapsed >= kPatience * wall)
    stop(Stop::kOverload);
}

// Answers a tester that wants to know for how long its job was kept waiting since then.
void JobRun::tell_waits(const std::string& since) {
  look_again();
  const double seconds = waits_.since(std::strtod(since.c_str(), nullptr));
  send_frame(socket_.ours.get(), 'w', fmt::format("{:.6f}", seconds), kTellMs);
}

void JobRun::look_at_tester(double cpu_seconds) {
  if (reports_->empty() || reports_->size() != reported_) {
    reported_ = reports_->size();
    tester_cpu_seconds_ = cpu_seconds;
  }
  if ((cpu_seconds - tester_cpu_seconds_) * 1e3 > limits_.tester_cpu_ms) stop(Stop::kTester);
}

void JobRun::read_stream(Stream& stream) {
  char part[1 << 16];
  const ssize_t got = ::read(stream.ours.get(), part, sizeof part);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) stream.ours.reset();
  if (got <= 0) return;
  const std::size_t room = limits_.output_bytes - stream.bytes->size();
  stream.bytes->append(part, std::min(static_cast<std::size_t>(got), room));
  if (static_cast<std::size_t>(got) > room) stop(Stop::kOutput);
}

void JobRun::read_frames() {
  char part[1 << 16];
  const ssize_t got = ::recv(socket_.ours.get(), part, sizeof part, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) socket_.ours.reset();
  if (got <= 0) return;
  reader_.add({part, static_cast<std::size_t>(got)});
  Frame frame;
  while (reader_.next(frame)) handle(frame);
  if (reader_.overflowed()) stop(Stop::kOutput);
}

void JobRun::read_last_word(const std::string& body) {
  try {
    const Json result = parse_json(body, "the warden's last word");
    end_.status = result.value("status", 0);
    end_.use.cpu_seconds = result.at("cpu_seconds");
    end_.use.peak_memory_bytes =
        std::max<std::size_t>(end_.use.peak_memory_bytes, result.at("peak_bytes"));
    done_ = true;
  } catch (const std::exception& problem) {
    end_.reason = problem.what();
  }
}

void JobRun::handle(const Frame& frame) {
  switch (frame.kind) {
    case 'r':
      ready_ = true;
      break;
    case 'l':
      if (stopped_ != Stop::kNo) break;
      if (reports_->size() + frame.body.size() > limits_.output_bytes)
        stop(Stop::kOutput);
      else
        *reports_ += frame.body;
      break;
    case 'd':
      read_last_word(frame.body);
      break;
    case 'm':
      out_of_memory_ = true;
      break;
    case 'w':
      tell_waits(frame.body);
      break;
    case 'o':
      if (stopped_ == Stop::kNo) end_.reason = frame.body;
      stop(Stop::kOverload);
      break;
    case 'k':
      end_.killed = true;
      end_.reason = frame.body;
      break;
    default:
      if (stopped_ == Stop::kNo) end_.reason = frame.body;
  }
}

void JobRun::watch(std::stop_token stop_token) {
  const StopDescriptor asked(std::move(stop_token));
  double next_look = kFirstLookMs / 1e3;
  bool warden_lives = true;
  // A stream's end is held by the job's processes alone, so all close when the last one ends.
  while (warden_lives || socket_.ours ||
         std::any_of(streams_.begin(), streams_.end(), [](auto& s) { return bool(s.ours); })) {
    std::vector<pollfd> ends = {{warden_lives ? warden_handle_.get() : -1, POLLIN, 0},
                                {socket_.ours.get(), POLLIN, 0},
                                {warden_lives ? asked.get() : -1, POLLIN, 0}};
    for (const Stream& stream : streams_) ends.push_back({stream.ours.get(), POLLIN, 0});
    const double before = elapsed_seconds(), wall = limits_.wall_ms / 1e3;
    const double until = before < wall ? std::min(next_look, wall) : next_look;
    const int wait_ms = std::max(0, static_cast<int>((until - before) * 1e3) + 1);
    if (::poll(ends.data(), ends.size(), wait_ms) < 0 && errno != EINTR) {
      end_.reason = fmt::format("waiting for a job failed ({})", std::strerror(errno));
      stop(Stop::kOverload);
    }
    stood_still_seconds_ =
        std::max(stood_still_seconds_, elapsed_seconds() - before - wait_ms / 1e3);
    if (ends[0].revents != 0) warden_lives = false;
    if (ends[1].revents != 0) read_frames();
    if (ends[2].revents != 0) stop(Stop::kAsked);
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (ends[i + 3].revents != 0) read_stream(streams_[i]);
    }
    const double elapsed = elapsed_seconds();
    if (warden_lives) look_at_time();
    if (warden_lives && elapsed >= next_look) {
      look();
      next_look = elapsed_seconds() + kLookEveryMs / 1e3;
    }
  }
}

JobEnd JobRun::conclude() {
  end_.use.wall_seconds = elapsed_seconds();
  const auto ends = [this](Ending ending, const std::string& reason) {
    end_.ending = ending;
    end_.reason = reason;
  };
  if (stopped_ == Stop::kAsked) {
    ends(Ending::kStopped, "stopped on request");
  } else if (stood_still_seconds_ > kStandstillSeconds) {
    end_.machine = true;
    ends(Ending::kSandboxError,
         fmt::format("everything stood still for {:.1f} s, and time limits mean nothing",
                     stood_still_seconds_));
  } else if (stopped_ == Stop::kOverload) {
    end_.machine = true;
    if (end_.reason.empty())
      end_.reason = fmt::format("a job of {:.1f} s was kept waiting by others for {:.1f} s of them",
                                end_.use.wall_seconds, waits_.since(started_));
    ends(Ending::kSandboxError,
         fmt::format("the machine is overloaded: {}; run fewer jobs at once, or less beside them",
                     std::string(end_.reason)));
  } else if (stopped_ == Stop::kTime) {
    ends(Ending::kTimeout, fmt::format("not done after {} ms", limits_.wall_ms));
  } else if (stopped_ == Stop::kCpu) {
    ends(Ending::kTimeout, fmt::format("not done after {} ms of CPU time", limits_.cpu_ms));
  } else if (stopped_ == Stop::kTester) {
    ends(Ending::kTimeout, fmt::format("what it gave kept its judge busy for {} ms of CPU time",
                                       limits_.tester_cpu_ms));
  } else if (stopped_ == Stop::kMemory || out_of_memory_ ||
             (group_ != nullptr && group_->ran_out_of_memory())) {
    ends(Ending::kMemory, fmt::format("used more than {} MiB", limits_.memory_bytes >> 20));
  } else if (stopped_ == Stop::kProcesses) {
    ends(Ending::kCrash, fmt::format("started more than {} processes", limits_.processes));
  } else if (stopped_ == Stop::kOutput) {
    ends(Ending::kOutput, fmt::format("wrote more than {} bytes", limits_.output_bytes));
  } else if (done_) {
    end_.ending = Ending::kExited;
  } else {
    end_.machine = end_.never_began = !ready_;
    ends(Ending::kSandboxError, end_.reason.empty() ? "the sandbox's warden ended early"
                                                    : "the sandbox failed: " + end_.reason);
  }
  return end_;
}

JobEnd JobRun::run(const std::vector<std::string>& frames, std::string& reports,
                   std::stop_token stop) {
  reports_ = &reports;
  if (!begin(frames)) {
    end_.never_began = true;
    end_.machine = true;
    end_.reason = "the sandbox's interpreter does not answer";
    return end_;
  }
  watch(std::move(stop));
  return conclude();
}

}  // namespace umf
