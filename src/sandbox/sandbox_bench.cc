// Sandboxed runs per second. `sandbox_bench soak [JOBS]` looks for growth instead.
#include <dirent.h>
#include <fmt/core.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "sandbox/sandbox.h"
#include "sandbox/tree.h"
#include "support/bench_timing.h"

namespace umf {
namespace {

constexpr char kOneCall[] =
    R"({"programs": [{"source": "def f(x):\n  return x + 1\n", "calls": [{"call": "f", "args": [41]}]}]})";

void one_call(Sandbox& sandbox) {
  const PythonResult result = sandbox.run(PythonJob{"self_test", kOneCall});
  if (result.reports.find("42") == std::string::npos) {
    fmt::print(stderr, "a job failed: {} {}\n", name_of(result.ending), result.reason);
    std::exit(1);
  }
}

void no_candidate(Sandbox& sandbox) { sandbox.run(PythonJob{"self_test", R"({"programs": []})"}); }

void command(Sandbox& sandbox) { sandbox.run(CommandJob{{"/usr/bin/true"}}); }

void python_command(Sandbox& sandbox) {
  sandbox.run(CommandJob{{"/usr/bin/python3", "-I", "-S", "-c", "print(42)"}});
}

struct Rate {
  double per_second, cpu_ms;  // CPU time of all processes: what counts on a busy machine
};

Rate run_jobs(Sandbox& sandbox, int workers, int jobs, void (*job)(Sandbox&)) {
  std::atomic<int> next = 0;
  const double cpu_before = look_at_tree(::getpid(), SIZE_MAX).cpu_seconds;
  const auto start = BenchClock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      while (next++ < jobs) job(sandbox);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = seconds_since(start);
  const double cpu = look_at_tree(::getpid(), SIZE_MAX).cpu_seconds - cpu_before;
  return {jobs / seconds, 1e3 * cpu / jobs};
}

void measure(int jobs) {
  const auto start = BenchClock::now();
  const auto sandbox = make_sandbox({.workers = 4});
  fmt::print("start of the warm interpreter: {:.0f} ms\n", seconds_since(start) * 1e3);
  constexpr std::pair<const char*, void (*)(Sandbox&)> kJobs[] = {
      {"Python job, one candidate, one call", one_call},
      {"Python job without a candidate", no_candidate},
      {"command: true", command},
      {"command: python3 -I -S", python_command}};
  for (const auto& [name, job] : kJobs) {
    run_jobs(*sandbox, 1, 20, job);
    for (const int workers : {1, 2, 4}) {
      const Rate rate = run_jobs(*sandbox, workers, jobs, job);
      fmt::print("{:<38} {} workers: {:6.1f} per second, {:5.2f} ms of CPU each\n", name, workers,
                 rate.per_second, rate.cpu_ms);
    }
  }
}

// Descriptors and resident memory of this process, processes below it.
void print_use(int jobs) {
  int descriptors = 0;
  if (DIR* folder = ::opendir("/proc/self/fd")) {
    while (::readdir(folder) != nullptr) ++descriptors;
    ::closedir(folder);
  }
  const TreeUse tree = look_at_tree(::getpid(), SIZE_MAX);
  const std::string statm = read_file("/proc/self/statm", 4096);
  fmt::print("{:>7} jobs: {} descriptors, {} processes below, own memory {} KiB, all {} KiB\n",
             jobs, descriptors, tree.processes,
             std::strtoul(statm.c_str() + statm.find(' '), nullptr, 10) * 4,
             tree.memory_bytes >> 10);
  std::fflush(stdout);
}

void soak(int jobs) {
  const auto sandbox = make_sandbox({.workers = 2});
  for (int done = 0; done < jobs;) {
    const int part = std::min(std::max(1, jobs / 10), jobs - done);
    run_jobs(*sandbox, 2, part - part / 10, one_call);
    run_jobs(*sandbox, 2, part / 10, command);
    done += part;
    print_use(done);
  }
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "soak")
    umf::soak(argc > 2 ? std::atoi(argv[2]) : 20'000);
  else
    umf::measure(mode == "--quick" ? 50 : 300);
}
