#include "sandbox/warm_sandbox.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <semaphore>

#include "base/error.h"
#include "base/json.h"
#include "sandbox/cgroup.h"
#include "sandbox/channel.h"
#include "sandbox/embedded.h"
#include "sandbox/job.h"
#include "sandbox/launch.h"
#include "sandbox/scratch.h"
#include "sandbox/zygote_pool.h"

namespace umf {
namespace {

constexpr std::size_t kMaxPayload = std::size_t{1} << 30;
constexpr std::chrono::milliseconds kLookForStop{20};  // while all workers are busy
constexpr int kMaxFiles = 4096;                        // in the scratch folder

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

class WarmSandbox final : public Sandbox {
 public:
  WarmSandbox(Walls walls, int workers)
      : scratch_(walls != Walls::kNamespaces),
        workers_(workers),
        zygotes_(walls, scratch_.path(), workers) {}

  CommandResult run(const CommandJob& job, std::stop_token stop) override;
  PythonResult run(const PythonJob& job, std::stop_token stop) override;

 private:
  // Runs `attempt` on the warm interpreter. When the sandbox itself failed before the job began,
  // there is one more try on a new interpreter.
  template <class Attempt>
  JobEnd with_zygote(const std::stop_token& stop, const Attempt& attempt) {
    do {
      if (stop.stop_requested())
        return {.ending = Ending::kStopped, .reason = "stopped on request"};
    } while (!workers_.try_acquire_for(kLookForStop));
    const Release release{workers_};
    const GroupLease group(groups_);
    const int seat = zygotes_.next_seat();
    JobEnd end;
    try {
      std::shared_ptr<Zygote> zygote = zygotes_.at(seat);
      end = attempt(*zygote, group.get());
      if (!end.never_began) return end;
      zygote = zygotes_.replace(seat, zygote);
      end = attempt(*zygote, group.get());
    } catch (const Error& problem) {
      end = {.reason = problem.what()};
    }
    return end;
  }

  struct Release {
    std::counting_semaphore<>& workers;
    ~Release() { workers.release(); }
  };

  class GroupLease {
   public:
    explicit GroupLease(CgroupPool& pool) : pool_(pool), group_(pool.take()) {}
    ~GroupLease() { pool_.give_back(std::move(group_)); }
    Cgroup* get() const { return group_.get(); }

   private:
    CgroupPool& pool_;
    std::unique_ptr<Cgroup> group_;
  };

  ScratchFolders scratch_;
  CgroupPool groups_;
  std::counting_semaphore<> workers_;
  ZygotePool zygotes_;
};

PythonResult WarmSandbox::run(const PythonJob& job, std::stop_token stop) {
  check_limits(job.limits);
  if (job.payload.size() > kMaxPayload)
    throw Error(fmt::format("a payload of {} bytes is too large for the sandbox (at most {})",
                            job.payload.size(), kMaxPayload));
  if (!has_module(job.tester))
    throw Error(fmt::format("the sandbox has no tester '{}'", job.tester));
  PythonResult result;
  const JobEnd end = with_zygote(stop, [&](const Zygote& zygote, Cgroup* group) {
    result.reports.clear();
    const Json header = {{"kind", "python"},
                         {"tester", job.tester},
                         {"scratch", ""},
                         {"limits", limits_json(job.limits)}};
    JobRun run(zygote, job.tester, job.limits, group);
    return run.run({header.dump(), job.payload}, result.reports, stop);
  });
  result.ending = end.ending;
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
  const JobEnd end = with_zygote(stop, [&](const Zygote& zygote, Cgroup* group) {
    result.out.clear();
    result.err.clear();
    const ScratchFolder scratch = scratch_.make(job.files);
    Json header = {{"kind", "command"},
                   {"argv", job.argv},
                   {"scratch", scratch.path()},
                   {"files", Json::array()},
                   {"limits", limits_json(job.limits)}};
    for (const auto& [path, content] : job.files) header["files"].push_back(path);
    std::vector<std::string> frames = {header.dump()};
    for (const auto& [path, content] : job.files) frames.push_back(content);
    const Descriptor input = make_sealed_file("input", job.input);
    JobRun run(zygote, "", job.limits, group);
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
