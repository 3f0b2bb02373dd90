// What workers ask of the file system that holds a run: many processes, jobs that only take time.
//
// tools/bench-run-directory runs it under strace, which counts.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/utc.h"
#include "bench/job_board.h"
#include "bench/views.h"
#include "bench/waiting.h"

namespace umf {
namespace {

struct Work {
  std::string folder;
  int workers = 64, problems = 100'000, done = 0;
  double job_seconds = 1, seconds = 120;
  double heartbeat_seconds = 15;
};

Json manifest(int problems) {
  Json ids = Json::array();
  for (int i = 0; i < problems; ++i) ids.push_back(fmt::format("simulated/{}", i));
  return {
      {"version", "1"},
      {"dataset", {{"kind", "problems"}, {"path", "/d"}, {"fingerprint", "f"}, {"problems", ids}}},
      {"models", Json::array()},
      {"configurations", {{{"name", "simulated"}, {"budgets", {768}}}}}};
}

Result result_of(const std::string& id, const std::string& worker) {
  Result result;
  result.key = {id, "simulated", 768};
  result.passed = true;
  result.answer = std::string(600, 'x');
  result.worker = worker;
  return result;
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// What earlier workers have done, and left.
void write_earlier(const RunDirectory& run, int done) {
  std::string lines;
  for (int i = 0; i < done; ++i) lines += result_line(result_of(run.manifest().ids[i], "earlier"));
  write_file(run.results() / "earlier.jsonl", lines);
}

// The ends of pipes that the workers have: they say that they are ready, and begin together.
struct Gate {
  int ready[2], go[2], done[2];
  Gate() {
    if (::pipe(ready) != 0 || ::pipe(go) != 0 || ::pipe(done) != 0)
      throw Error("cannot make a pipe");
  }
};

// As bench/runner.cc, without models. Writes how many jobs it did.
void work(const RunDirectory& run, const Work& what, const Gate& gate) {
  const Heartbeat heartbeat(run.workers(), this_process(), what.heartbeat_seconds);
  JobBoard board(run, heartbeat);
  ResultWriter writer(run.results() / (heartbeat.self().id + ".jsonl"));
  SharedViews views(run, board.leases());
  Waiting waiting(1);
  std::vector<std::pair<double, Lease>> finished;
  char byte = 0;
  static_cast<void>(!::write(gate.ready[1], &byte, 1));
  static_cast<void>(!::read(gate.go[0], &byte, 1));
  const double until = steady_seconds() + what.seconds;
  int jobs = 0;
  while (steady_seconds() < until) {
    views.refresh_now_and_then(board.results());
    const auto job = board.next();
    while (!finished.empty() && steady_seconds() - finished.front().first >= kKeptWhenDone) {
      board.retire(finished.front().second);
      finished.erase(finished.begin());
    }
    if (!job) {
      sleep_for(std::min(until - steady_seconds(), waiting.next_pause(board.until_next_try())));
      continue;
    }
    waiting.over();
    sleep_for(std::min(until - steady_seconds(), what.job_seconds));
    if (steady_seconds() >= until) break;
    if (!board.leases().holds(job->lease)) continue;
    writer.append(result_of(run.manifest().ids[job->problem], heartbeat.self().id));
    finished.emplace_back(steady_seconds(), job->lease);
    ++jobs;
  }
  static_cast<void>(!::write(gate.done[1], &jobs, sizeof jobs));
}

void run_all(const Work& what) {
  const RunDirectory run = RunDirectory::start(what.folder, manifest(what.problems), false);
  write_earlier(run, what.done);
  const Gate gate;
  for (int i = 0; i < what.workers; ++i) {
    if (::fork() == 0) {
      ::close(gate.go[1]);
      work(run, what, gate);
      ::_exit(0);
    }
  }
  char byte = 0;
  for (int i = 0; i < what.workers; ++i) static_cast<void>(!::read(gate.ready[0], &byte, 1));
  const double start = unix_time();
  ::close(gate.go[1]);
  ::close(gate.done[1]);
  long jobs = 0;
  for (int of_one = 0; ::read(gate.done[0], &of_one, sizeof of_one) == sizeof of_one;)
    jobs += of_one;
  while (::wait(nullptr) > 0) continue;
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const double cpu = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  // Of the whole: reading what earlier workers did is part of it.
  fmt::print("{}\n", Json{{"workers", what.workers},
                          {"jobs", jobs},
                          {"start", start},
                          {"end", start + what.seconds},
                          {"cpu_seconds", cpu}}
                         .dump());
}

}  // namespace
}  // namespace umf

// FOLDER [--workers N] [--problems N] [--done N] [--job SECONDS] [--seconds N]
int main(int argc, char** argv) {
  umf::Work what;
  if (argc > 1) what.folder = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const double value = std::atof(argv[i + 1]);
    if (option == "--workers") what.workers = static_cast<int>(value);
    if (option == "--problems") what.problems = static_cast<int>(value);
    if (option == "--done") what.done = static_cast<int>(value);
    if (option == "--job") what.job_seconds = value;
    if (option == "--seconds") what.seconds = value;
  }
  try {
    umf::run_all(what);
  } catch (const umf::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
