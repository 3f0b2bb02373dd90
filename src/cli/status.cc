// umf status: how far a run is.
#include "bench/status.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "bench/last_worker.h"
#include "cli/common.h"
#include "cli/redrawn.h"
#include "cli/status_picture.h"
#include "setup/say.h"
#include "setup/terminal.h"

namespace umf {
namespace {

struct StatusOptions {
  std::string directory;
  bool json = false, watch = false, exit_status = false;
  double every = 2;
};

void check(const StatusOptions& options) {
  if (options.directory.empty()) throw Error("umf status needs the directory of a run");
  if (options.watch && options.json)
    throw Error("--watch is for people; programs ask for --json as often as they like");
  if (options.watch && options.exit_status)
    throw Error("--exit-status is for one look; --watch has an exit status of its own");
  if (!(options.every >= 0.1 && options.every <= 3600))
    throw Error("--every is in seconds, from 0.1 to 3600");
}

void print_news(const nlohmann::ordered_json& before, const nlohmann::ordered_json& now) {
  for (const std::string& line : news_of(before, now))
    fmt::print("{:%H:%M:%S} {}\n", fmt::localtime(std::time(nullptr)), line);
  if (std::fflush(stdout) != 0) throw Error("cannot write to stdout");
}

constexpr double kPatience = 10, kEndless = std::numeric_limits<double>::infinity();

// Who looks at a complete run does what a worker that was killed left undone; where that cannot be,
// gives a warning.
std::string finish_or_warn(const RunDirectory& run, double patience) {
  constexpr const char* kOld = "the merged files may be older than what is recorded";
  try {
    switch (finish_for_killed_worker(run, patience)) {
      case LastSteps::kNotLeft:
        return "";
      case LastSteps::kTaken:
        say("a worker was killed before it left; the merged files of the run are written anew\n");
        return "";
      case LastSteps::kNotKnown:
        return fmt::format(
            "{}: a worker has not left, and whether it lives is not known yet; --exit-status waits "
            "until it is",
            kOld);
    }
  } catch (const Error& reason) {
    return fmt::format(
        "{}: a worker was killed before it left, and they cannot be written here: "
        "{}",
        kOld, reason.what());
  }
  return "";
}

int watch(const RunDirectory& run, double every) {
  RunWatch workers(run);
  Redrawn picture(stdout);
  nlohmann::ordered_json before;
  while (true) {
    auto now = workers.look();
    const TerminalSize size = terminal_size(stdout);
    if (is_live_terminal(stdout))
      picture.draw(picture_of(now, size.columns, size.rows));
    else
      print_news(before, now);
    if (is_over(now)) {
      picture.leave();
      if (!now["complete"].get<bool>()) return kExitNo;
      if (const std::string warning = finish_or_warn(run, kPatience); !warning.empty())
        say("warning: {}\n", warning);
      return 0;
    }
    before = std::move(now);
    std::this_thread::sleep_for(std::chrono::duration<double>(every));
  }
}

// As umf bench would leave.
int exit_status(Left left) {
  switch (left) {
    case Left::kNothing:
      return 0;
    case Left::kFailures:
      return kExitNo;
    case Left::kOthers:
      return kExitOthersAtWork;
    case Left::kFree:
      return kExitTryAgain;
  }
  return 2;
}

int status(const StatusOptions& options) {
  check(options);
  const RunDirectory run = RunDirectory::open(options.directory);
  if (options.watch) return watch(run, options.every);
  auto [status, left] = options.exit_status ? run_status_and_left(run)
                                            : std::pair(run_status(run, kPatience), Left::kNothing);
  if (status["complete"].get<bool>()) {
    const std::string warning = finish_or_warn(run, options.exit_status ? kEndless : kPatience);
    if (!warning.empty()) status["warnings"].push_back(warning);
  }
  if (options.json)
    print_in_order(status);
  else
    fmt::print("{}", status_text(status));
  return exit_status(left);
}

}  // namespace

Command status_command() {
  return {
      "status", "how far a run of umf bench is, and who works on it", [](OptionSet& options) {
        auto o = std::make_shared<StatusOptions>();
        options.argument("DIR", o->directory, "the run directory");
        options.flag("json", o->json, "the status as JSON");
        options.flag("exit-status", o->exit_status,
                     "also tell by the exit status what is left, as umf bench would: 0 "
                     "nothing, 1 what failed, 3 others are at it, 75 start workers again");
        options.flag("watch", o->watch,
                     "stay, and show machines, workers and failures as they come and go");
        options.value("every", o->every, "with --watch: seconds between two looks");
        options.footer(
            "A job is stale when its worker is gone or has shown no sign of life for six\n"
            "heartbeats; the next worker takes it over. Nothing is written, but for the merged\n"
            "files of a complete run, where the worker that was to write them was killed.\n"
            "--exit-status waits until it is known whether those live who have not left: six\n"
            "heartbeats (90 s) where a worker of another machine is silent.\n"
            "--watch draws on a terminal, and else prints a line for each change. It ends\n"
            "when the run is complete, or, with status 1, when all was tried, something\n"
            "failed and nobody is at work.");
        return [o] { return status(*o); };
      }};
}

}  // namespace umf
