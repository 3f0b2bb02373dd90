// umf solve: search for the best answer to one problem.
#include "solve/solve.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/utc.h"
#include "cli/command_line.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/solve_observer.h"
#include "report/report.h"
#include "session/presets.h"
#include "session/result_json.h"
#include "setup/examples.h"
#include "setup/judges.h"
#include "setup/say.h"
#include "setup/solve_setup.h"
#include "setup/terminal.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReportLimitBytes = std::size_t{1} << 30;  // one search: whatever it has

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int list_presets() {
  for (const Preset& preset : presets()) fmt::print("{:<26} {}\n", preset.name, preset.summary);
  return 0;
}

int list_searches() {
  for (const SearchEntry& entry : searches())
    fmt::print("{:<12} {}\n", entry.facts.name, entry.facts.summary);
  return 0;
}

int list_examples() {
  for (const Example& example : examples()) {
    fmt::print("{:<18} {:<8} {}{}\n", example.name, example.kind, example.about,
               example.needs.empty() ? "" : fmt::format(" (needs {})", example.needs));
  }
  return 0;
}

// What is to be solved, and what errors call it.
struct Asking {
  std::string text, where;
};

Asking asked(const SolveCliOptions& options) {
  if (!options.problem.empty()) {
    if (!options.example.empty()) throw Error("give a problem file or --example, not both");
    return {read_input(options.problem), options.problem == "-" ? "stdin" : options.problem};
  }
  const Example example =
      options.example.empty() ? examples().front() : find_example(options.example);
  if (!example.needs.empty() && options.models.empty() && options.preset.empty())
    throw Error(fmt::format("example '{}' needs {}", example.name, example.needs));
  return {example_problem(example), "example " + example.name};
}

// An example is not known to whoever runs it.
void introduce(const SolveCliOptions& options, const Problem& problem) {
  if (!options.problem.empty() || options.common.quiet || options.common.json) return;
  say("{}  {}\n\n", Paint(stderr).bold(problem.id), problem.prompt);
}

// Where the text cannot be shown in place, the user is told why and sees progress as ever.
bool can_watch(const SolveCliOptions& options) {
  if (!options.watch) return false;
  if (options.common.quiet) throw Error("--watch shows what --quiet silences; leave out one");
  const std::string objection = Watch::objection();
  if (!objection.empty()) say("--watch: {}; showing progress\n", objection);
  return objection.empty();
}

// What is written beside the answer. Looked at before the search: a mistyped path must not cost it.
struct SolveOutputs {
  const Output trace, report;

  explicit SolveOutputs(const SolveCliOptions& options)
      : trace(options.trace), report(options.report) {
    if (trace.to_stdout() && report.to_stdout())
      throw Error("--trace - and --report - would both go to stdout; give one of them a file");
    if (take_stdout() && options.common.json)
      throw Error(
          fmt::format("{} - and --json would both go to stdout; give {} a file", taker(), taker()));
    if (options.checkpoint == "-") throw Error("--checkpoint is read and written: give it a file");
  }
  bool take_stdout() const { return trace.to_stdout() || report.to_stdout(); }

 private:
  const char* taker() const { return trace.to_stdout() ? "--trace" : "--report"; }
};

std::string report_page(const Problem& problem, const Configuration& configuration,
                        const Solution& solution, const std::string& answer, std::string events,
                        double began) {
  Report report(kReportLimitBytes);
  const long budget = configuration.solve.budget;
  report.add({.id = problem.id,
              .prompt = problem.prompt,
              .search = configuration.search_name,
              .budget = budget == kNoBudget ? solution.ledger.nfe : budget,
              .window = configuration.walk.window,
              .actions = author_names(configuration),
              .settings = action_texts(configuration),
              .models = configuration.model_names,
              .seed = configuration.seed,
              .made = began,
              .command = command_line(),
              .solution = solution_json(configuration, solution),
              .answer = answer,
              .why = solution.best ? solution.best->why : "",
              .events = std::move(events)});
  return report.html(problem.id);
}

int solve_problem(SolveCliOptions& options) {
  if (options.list_presets) return list_presets();
  if (options.list_searches) return list_searches();
  if (options.list_examples) return list_examples();
  const auto start = Clock::now();
  const double began = unix_time();
  const SolveOutputs outputs(options);
  const auto [text, where] = asked(options);
  const Problem problem = parse_problem(text, where);
  const WorkerDevices devices = options.worker_devices();
  const auto backend = devices.make_backend();
  const auto model_cache = make_model_cache(options, devices, *backend);
  Judges judges(options.common, {.unsafe = options.unsafe}, interrupt_token());
  judges.stand_beside(*model_cache);
  const auto reward =
      make_reward(problem.reward, {problem.id, problem.prompt}, where, judges.tools());
  const Configuration configuration = make_configuration(options, *model_cache);
  require_places_used(*model_cache);

  watch_for_interrupts();
  introduce(options, problem);
  tell_places(*model_cache, options.common.quiet);
  ProblemSearch search(configuration, *model_cache, problem, *reward);
  SolveObserver observer(configuration, search,
                         {.progress = !options.common.quiet,
                          .watch = can_watch(options),
                          .trace = static_cast<bool>(outputs.trace),
                          .drawing = static_cast<bool>(outputs.report)});
  reward->check();
  if (!options.checkpoint.empty()) search.keep_checkpoint(options.checkpoint);
  const double load_seconds = seconds_since(start);
  const Solution solution = search.run(observer);
  observer.clear();

  const std::string answer = solution.best ? search.text(solution.best->end) : "";
  std::FILE* const answers = outputs.take_stdout() ? stderr : stdout;
  if (options.common.json)
    print_in_order(result_json(problem, configuration, solution, search, *model_cache,
                               {.load = load_seconds, .total = seconds_since(start)}));
  else if (solution.best && options.common.quiet)
    print_answer(answer, answers);
  else if (solution.best)
    observer.report().print(solution, *solution.best, seconds_since(start), answers);
  std::fflush(stdout);  // the answer is out, whatever fails now
  outputs.trace.write(observer.trace());
  if (outputs.report)
    outputs.report.write(report_page(problem, configuration, solution, answer,
                                     std::move(observer).drawing(), began));
  require_answer(solution);
  return solution.stopped == Stop::kInterrupted ? kExitInterrupted : 0;
}

}  // namespace

Command solve_command() {
  return {"solve", "search for the best answer to one problem", [](OptionSet& options) {
            auto o = std::make_shared<SolveCliOptions>();
            o->declare(options);
            return [o] { return solve_problem(*o); };
          }};
}

}  // namespace umf
