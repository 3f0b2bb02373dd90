#include "server/served_search.h"

#include <fmt/core.h>

#include <chrono>

#include "reward/json_answer.h"
#include "server/api_error.h"
#include "server/event_log.h"
#include "server/masked_text.h"
#include "session/problem_search.h"
#include "session/solution_json.h"
#include "session/trace.h"
#include "session/window_json.h"

namespace umf {
namespace {

// The event of a trace for clients that draw nothing: how the tree grew, states by number.
Json tree_json(const OrderedJson& event, const Configuration& configuration) {
  Json json = event;
  for (const char* key : {"child", "end", "masks", "window", "writes", "verdict"}) json.erase(key);
  for (std::size_t i = 0; i < json["path"].size(); ++i)
    json["path"][i] = {{"state", json["path"][i]}, {"masks", event["masks"][i]}};
  json["action"] = configuration.action_names[json["action"]];
  return json;
}

// As it was asked, so that viewers can ask it again.
Json problem_json(const Problem& problem) {
  Json json = {{"id", problem.id}, {"prompt", problem.prompt}, {"reward", problem.reward}};
  if (!problem.system.empty()) json["system"] = problem.system;
  if (!problem.prefill.empty()) json["prefill"] = problem.prefill;
  if (problem.raw) json["raw"] = true;
  return json;
}

// A search while it runs: it has threads of its own.
class SearchRun final : public SearchObserver {
 public:
  SearchRun(ModelCache& model_cache, const Configuration& configuration, const Problem& problem,
            Reward& reward, const ServedNews& news, Reward* format, Listener& listener)
      : configuration_(configuration),
        news_(news),
        format_(format),
        listener_(listener),
        search_(configuration, model_cache, problem, reward) {}

  Completion complete();

 private:
  bool passed(const Pass& pass) override;
  Json state_json(const Pass& pass) const;
  void draw(const Pass& pass);
  Json drawn_state_json(const Pass& pass) const;
  bool rolled_out(const RolloutEvent& event) override;
  Json rollout_json(const RolloutEvent& event);
  Completion completion(const Solution& solution, const Candidate& best) const;
  void give_json(Choice& choice) const;

  const Configuration& configuration_;
  const ServedNews news_;
  Reward* const format_;
  Listener& listener_;
  ProblemSearch search_;
  TraceWriter trace_{search_.states()};
  std::chrono::steady_clock::time_point drawn_{};
  long passes_ = 0;
  long best_iteration_ = 0;
};

Completion SearchRun::complete() {
  const Solution solution = search_.run(*this);
  listener_.spent(solution_json(configuration_, solution)["search"]);
  if (solution.stopped == Stop::kError) throw ApiError(500, solution.message);
  if (!solution.best && solution.stopped == Stop::kInterrupted) throw Interrupted();
  if (!solution.best)
    throw ApiError(
        500, fmt::format("the search found no answer (stopped: {})", name_of(solution.stopped)));
  Completion found = completion(solution, *solution.best);
  listener_.text(0, found.choices.front().text);
  listener_.finished(0, found.choices.front().finish, found.umf);
  return found;
}

bool SearchRun::passed(const Pass& pass) {
  ++passes_;
  if (news_.drawn)
    draw(pass);
  else if (news_.states)
    listener_.state(0, state_json(pass));
  return listener_.wanted();
}

Json SearchRun::state_json(const Pass& pass) const {
  const Lexicon& lexicon = pass.lexicon;
  Json state = {{"pass", passes_},
                {"action", configuration_.action_names[pass.trial.action]},
                {"text", masked_text(pass.window, *lexicon.tokenizer, lexicon.tokens)}};
  const auto active =
      search_.states().setup().active_masks(pass.window, pass.trial.action, pass.model);
  if (active) state["active"] = *active;
  return state;
}

// No more often than anybody sees.
void SearchRun::draw(const Pass& pass) {
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < kBetweenPictures) return;
  drawn_ = now;
  listener_.state(0, drawn_state_json(pass));
}

// Authors as pairs: who, and of how many cells.
Json SearchRun::drawn_state_json(const Pass& pass) const {
  const auto& [trial, model, lexicon, window, commits, writers] = pass;
  Json by = Json::array();
  for (const int author : search_.authors().of(trial, lexicon, window, writers)) {
    if (by.empty() || by.back()[0] != author) by.push_back({author, 0});
    by.back()[1] = by.back()[1].get<int>() + 1;
  }
  Json written = Json::array();
  for (const Commit& commit : commits) written.push_back(commit.cell);
  Json state = {{"nfe", passes_},
                {"from", trial.from},
                {"action", trial.action},
                {"window", Json(window_json(lexicon, window))},
                {"by", by},
                {"written", written}};
  const auto active = search_.states().setup().active_masks(window, trial.action, model);
  if (active) state["active"] = *active;
  return state;
}

bool SearchRun::rolled_out(const RolloutEvent& event) {
  passes_ = event.ledger.nfe;
  if (news_.rollouts) listener_.rollout(rollout_json(event));
  return listener_.wanted();
}

Json SearchRun::rollout_json(const RolloutEvent& event) {
  const OrderedJson told = trace_.event(event);
  if (news_.drawn) return told;
  Json json = tree_json(told, configuration_);
  if (event.best && event.best->iteration != best_iteration_) {
    best_iteration_ = event.best->iteration;
    json["text"] = search_.text(event.best->end);
    json["why"] = to_valid_utf8(event.best->why);
  }
  return json;
}

Completion SearchRun::completion(const Solution& solution, const Candidate& best) const {
  const WindowState end = search_.states().at(best.end);
  const SpecialTokens& tokens = search_.states().lexicon_of(end).tokens;
  Completion completion;
  completion.choices.push_back(
      {search_.text(best.end), has_end(end.cells, tokens) ? "stop" : "length"});
  if (format_ != nullptr) give_json(completion.choices.front());
  completion.prompt_tokens = search_.prompt_tokens();
  completion.completion_tokens = answer_tokens(end.cells, tokens);
  completion.nfe = solution.ledger.nfe;
  completion.umf = solution_json(configuration_, solution);
  completion.umf["why"] = to_valid_utf8(best.why);
  return completion;
}

// What is not of the form that was asked for is like an answer that was cut: clients know that it
// may not be JSON.
void SearchRun::give_json(Choice& choice) const {
  choice.finish = format_->judge(choice.text).reward >= 1 ? "stop" : "length";
  choice.text = json_part(choice.text);
}

}  // namespace

ServedSearch::ServedSearch(ModelCache& model_cache, Configuration configuration, Problem problem,
                           std::unique_ptr<ServedJudge> judge, const ServedNews& news,
                           const Json& format)
    : DeviceTask(judge->stop_source()),
      model_cache_(model_cache),
      configuration_(std::move(configuration)),
      problem_(std::move(problem)),
      judge_(std::move(judge)),
      news_(news),
      format_(format.is_null() ? nullptr : make_reward(format, {}, "response_format")) {
  ProblemSearch(configuration_, model_cache_, problem_, judge_->reward());
}

Json ServedSearch::description() const {
  Json actions = Json::array();
  for (std::size_t i = 0; i < configuration_.actions.size(); ++i) {
    actions.push_back({{"name", configuration_.action_names[i]},
                       {"model", models_text(configuration_, configuration_.actions[i])},
                       {"settings", text_of(configuration_.actions[i])}});
  }
  Json description = {
      {"problem", problem_json(problem_)},
      {"search", {{"name", configuration_.search_name}, {"budget", configuration_.solve.budget}}},
      {"window", configuration_.walk.window},
      {"seed", configuration_.seed},
      {"models", configuration_.model_names},
      {"actions", actions}};
  const std::vector<std::string> names = author_names(configuration_);
  for (std::size_t i = actions.size(); i < names.size(); ++i)
    description["members"].push_back(names[i]);
  return description;
}

Completion ServedSearch::run(Listener& listener) {
  if (!listener.wanted()) throw Interrupted();
  judge_->check();
  return SearchRun(model_cache_.replica(listener.device()), configuration_, problem_,
                   judge_->reward(), news_, format_.get(), listener)
      .complete();
}

}  // namespace umf
