#include "sandbox/warm_sandbox.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "sandbox/channel.h"
#include "sandbox/embedded.h"
#include "sandbox/job.h"
#include "sandbox/job_slots.h"
#include "sandbox/launch.h"
#include "sandbox/machine_memory.h"
#include "sandbox/scratch.h"
#include "sandbox/user_map.h"
#include "sandbox/zygote_pool.h"

namespace umf {
namespace {

constexpr std::size_t kMaxPayload = std::size_t{1} << 30;
constexpr int kTries = 3;
constexpr int kMaxFiles = 4096;  // in the scratch folder

void check_limits(const SandboxLimits& limits) {
  if (limits.wall_ms <= 0 || limits.cpu_ms <= 0 || limits.processes <= 0 ||
      limits.memory_bytes == 0 || limits.scratch_bytes == 0 || limits.output_bytes == 0)
    throw Error("a sandbox limit is zero or negative; all of them must be positive");
}

Json limits_json(const SandboxLimits& limits) {
  return {{"memory", limits.memory_bytes},
          {"processes", limits.processes},
          {"scratch", limits.scratch_bytes},
          {"files", kMaxFiles},
          {"cpu_seconds", limits.cpu_ms / 1000 + 2}};
}

bool has_module(const std::string& name) {
  for (const auto& [known, source] : embedded_modules()) {
    if (known == name) return true;
  }
  return false;
}

Json user_json(std::uint32_t user, std::uint32_t group) {
  return {{"user", user}, {"group", group}};
}

// The users of the job that has this place, as its zygote calls them; null where everybody is who
// we are.
Json users_json(Walls walls, int place) {
  const JobUsers users = users_of_job(place);
  if (walls == Walls::kNamespaces)
    return {{"tester", user_json(users.tester, users.tester)},
            {"candidate", user_json(users.candidate, users.candidate)}};
  if (walls == Walls::kNone || !multiple_users())
    return {{"tester", nullptr}, {"candidate", nullptr}};
  // One for both: without a namespace a process takes along only those that it may signal.
  const Owner keeper = keeper_outside();
  const Json user = user_json(keeper.user + users.candidate, keeper.group + users.candidate);
  return {{"tester", user}, {"candidate", user}};
}

class WarmSandbox final : public Sandbox {
 public:
  WarmSandbox(Walls walls, int workers)
      : walls_(walls),
        scratch_(walls != Walls::kNamespaces),
        slots_(workers),
        zygotes_(walls, scratch_.path(), workers) {}

  CommandResult run(const CommandJob& job, std::stop_token stop) override;
  PythonResult run(const PythonJob& job, std::stop_token stop) override;

 private:
  // What an attempt is made with.
  struct Means {
    const Zygote& zygote;
    const JobSlots::Lease& slot;
    bool believe_signals;
  };
  Json header(const char* kind, const SandboxLimits& limits, const Means& means) const;
  // Attempts a job, again on a fresh interpreter where the sandbox failed before it began, or where
  // a program was ended by a signal that may not have been its own.
  template <class Attempt>
  JobEnd persist(const std::stop_token& stop, const Attempt& attempt);

  const Walls walls_;
  ScratchFolders scratch_;
  JobSlots slots_;
  ZygotePool zygotes_;
  MachineMemory machine_;
};

template <class Attempt>
JobEnd WarmSandbox::persist(const std::stop_token& stop, const Attempt& attempt) {
  const JobEnd stopped{.ending = Ending::kStopped, .reason = "stopped on request"};
  const auto slot = slots_.take(stop);
  if (!slot) return stopped;
  const int seat = zygotes_.next_seat();
  JobEnd end;
  try {
    std::shared_ptr<Zygote> zygote = zygotes_.at(seat);
    bool believe_signals = false;
    for (int tries = 0; tries < kTries; ++tries) {
      end = attempt(Means{*zygote, *slot, believe_signals});
      if (stop.stop_requested()) return stopped;
      if (!end.never_began && !end.killed) return end;
      believe_signals = end.killed && !machine_.ran_out();
      zygote = zygotes_.replace(seat, zygote);
    }
  } catch (const Error& problem) {
    end = {.reason = problem.what(), .machine = true};
  }
  return end;
}

Json WarmSandbox::header(const char* kind, const SandboxLimits& limits, const Means& means) const {
  return {{"kind", kind},
          {"scratch", ""},
          {"believe_signals", means.believe_signals},
          {"users", users_json(walls_, means.slot.place())},
          {"limits", limits_json(limits)}};
}

PythonResult WarmSandbox::run(const PythonJob& job, std::stop_token stop) {
  check_limits(job.limits);
  if (job.payload.size() > kMaxPayload)
    throw Error(fmt::format("a payload of {} bytes is too large for the sandbox (at most {})",
                            job.payload.size(), kMaxPayload));
  if (!has_module(job.tester))
    throw Error(fmt::format("the sandbox has no tester '{}'", job.tester));
  PythonResult result;
  const JobEnd end = persist(stop, [&](const Means& means) {
    result.reports.clear();
    Json header = this->header("python", job.limits, means);
    header["tester"] = job.tester;
    JobRun run(means.zygote, job.tester, job.limits, means.slot.group());
    return run.run({header.dump(), job.payload}, result.reports, stop);
  });
  result.ending = end.ending;
  result.machine = end.machine;
  result.reason = end.reason;
  result.use = end.use;
  return result;
}

// What goes into a job's header must be text.
void check_utf8(const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
  } catch (const Json::exception&) {
    throw Error("the words and file names of a sandboxed command must be UTF-8");
  }
}

void check_command(const CommandJob& job) {
  if (job.argv.empty() || !job.argv[0].starts_with('/'))
    throw Error("a sandboxed command needs a program with an absolute path");
  for (const std::string& word : job.argv) {
    if (word.find('\0') != std::string::npos)
      throw Error("a sandboxed command has a NUL byte among its words");
    check_utf8(word);
  }
  for (const auto& [path, content] : job.files) {
    check_scratch_path(path);
    check_utf8(path);
  }
}

CommandResult WarmSandbox::run(const CommandJob& job, std::stop_token stop) {
  check_limits(job.limits);
  check_command(job);
  CommandResult result;
  const JobEnd end = persist(stop, [&](const Means& means) {
    result.out.clear();
    result.err.clear();
    const ScratchFolder scratch = scratch_.make(job.files);
    Json header = this->header("command", job.limits, means);
    header.update({{"argv", job.argv}, {"scratch", scratch.path()}, {"files", Json::array()}});
    for (const auto& [path, content] : job.files) header["files"].push_back(path);
    std::vector<std::string> frames = {header.dump()};
    for (const auto& [path, content] : job.files) frames.push_back(content);
    const Descriptor input = make_sealed_file("input", job.input);
    JobRun run(means.zygote, "", job.limits, means.slot.group());
    run.give(input.get());
    run.give(run.collect(result.out));
    run.give(run.collect(result.err));
    std::string no_reports;
    return run.run(frames, no_reports, stop);
  });
  result.ending = end.ending;
  result.reason = end.reason;
  result.use = end.use;
  if (end.ending != Ending::kExited) return result;
  if (WIFSIGNALED(end.status)) {
    result.signal = WTERMSIG(end.status);
    const bool out_of_cpu = result.signal == SIGXCPU;
    result.ending = out_of_cpu ? Ending::kTimeout : Ending::kCrash;
    result.reason =
        fmt::format("ended by signal {} ({})", result.signal, ::strsignal(result.signal));
  } else {
    result.exit_status = WEXITSTATUS(end.status);
    if (result.exit_status != 0)
      result.reason = fmt::format("ended with status {}", result.exit_status);
  }
  return result;
}

}  // namespace

std::unique_ptr<Sandbox> make_warm_sandbox(Walls walls, int workers) {
  return std::make_unique<WarmSandbox>(walls, workers);
}

}  // namespace umf
