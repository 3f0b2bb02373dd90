// umf_solve(): one problem, its rollouts told to the caller, judged by the caller where it wants.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "c_api/calls.h"
#include "session/problem_search.h"
#include "session/result_json.h"
#include "session/trace.h"
#include "setup/judges.h"

namespace umf {
namespace {

constexpr const char* kWhere = "umf_solve";

// Takes the problem out of the request: what stays are options.
Problem take_problem(Json& request, bool judged_by_caller) {
  if (!request.contains("problem")) throw Error(fmt::format("{}: there is no 'problem'", kWhere));
  Json problem = std::move(request["problem"]);
  request.erase("problem");
  // Part of what a checkpoint is held to.
  if (judged_by_caller && problem.is_object()) problem["reward"] = {{"type", "callback"}};
  return make_problem(problem, fmt::format("{}: problem", kWhere));
}

class CallObserver final : public SearchObserver {
 public:
  CallObserver(const Configuration& configuration, const ProblemSearch& search, Caller& caller)
      : configuration_(configuration), search_(search), caller_(caller) {}

  bool passed(const Pass&) override {
    caller_.report(++nfe_, configuration_.solve.budget);
    return !caller_.stopped();
  }
  bool rolled_out(const RolloutEvent& event) override {
    caller_.report(nfe_ = event.ledger.nfe, configuration_.solve.budget);
    if (!caller_.wants_events()) return !caller_.stopped();
    OrderedJson told = trace_.event(event);
    if (!event.outcome.cached) told["text"] = search_.text(event.outcome.path.back().state);
    return caller_.tell(text_of(told));
  }

 private:
  const Configuration& configuration_;
  const ProblemSearch& search_;
  Caller& caller_;
  TraceWriter trace_{search_.states()};
  long nfe_ = 0;
};

}  // namespace

CallResult solve_problem(Engine& engine, Json request, Caller& caller) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Problem problem = take_problem(request, caller.judges());
  SolveCliOptions options = engine.options();
  options.read_search(request, kWhere);
  const Engine::Hold models(engine);
  Judges judges(options.common, {.unsafe = options.unsafe}, caller.stop_token());
  judges.stand_beside(*models);
  std::unique_ptr<Reward> reward;
  if (caller.judges())
    reward = std::make_unique<CallerReward>(caller);
  else
    reward = make_reward(problem.reward, {problem.id, problem.prompt}, kWhere, judges.tools());
  const Configuration configuration = make_configuration(options, *models);
  ProblemSearch search(configuration, *models, problem, *reward);
  CallObserver observer(configuration, search, caller);
  reward->check();
  if (!options.checkpoint.empty()) search.keep_checkpoint(options.checkpoint);
  const double load = seconds();
  const double loaded_before = models->load_seconds();
  const Solution solution = search.run(observer);
  require_answer(solution);
  return {.json = result_json(problem, configuration, solution, search, *models,
                              {.load = load, .total = seconds(), .loaded_before = loaded_before}),
          .interrupted = solution.stopped == Stop::kInterrupted};
}

}  // namespace umf
