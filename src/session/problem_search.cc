#include "session/problem_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {

ProblemSearch::ProblemSearch(const Configuration& configuration, ModelCache& model_cache,
                             const Problem& problem, Reward& reward, WalkMemo* memo)
    : configuration_(configuration),
      model_cache_(model_cache),
      problem_(problem),
      reward_(reward, RememberingReward::Failures::kKept),
      states_({make_participants(configuration, model_cache, problem), configuration.actions,
               configuration.walk}),
      memo_(memo) {
  make_world();
  require_room();
}

void ProblemSearch::make_world() {
  const WalkObserver observer = [this](const Pass& pass) { return passed(pass); };
  if (!configuration_.search().facts.traits.works_ahead) {
    models_ = std::make_unique<DecodingWorld>(states_, reward_, observer, memo_);
    return;
  }
  const WalkSetup& setup = states_.setup();
  std::vector<Walker> walkers;
  for (int i = 0; i < configuration_.workers; ++i) {
    std::vector<Model*> models;
    for (const int number : configuration_.models)
      models.push_back(&model_cache_.replica(i).model(number));
    walkers.emplace_back(setup.with(models), memo_);
  }
  auto ahead = std::make_unique<AheadWorld>(states_, std::move(walkers), reward_, observer);
  ahead_ = ahead.get();
  models_ = std::move(ahead);
}

// A rollout that the policy lets run to its end does so when the time is up, too.
bool ProblemSearch::passed(const Pass& pass) {
  if (!observer_->passed(pass)) return false;
  if (!deadline_) return true;
  deadline_->begin();
  return configuration_.solve.policy == BudgetPolicy::kFinish || !deadline_->over();
}

// An action whose model has no room is never taken; where that is all of them, there is no search.
void ProblemSearch::require_room() const {
  int room = 0;
  std::vector<std::string> models;
  for (int action = 0; action < models_->actions(); ++action) {
    if (states_.enter({.from = 0, .action = action})) return;
    const Participant& participant = states_.setup().participant_of(action);
    const int context = participant.model->info().max_length;
    const int prompt = static_cast<int>(participant.prompt.size());
    room = std::max(room, context - prompt);
    std::string text =
        fmt::format("{} prompt tokens in a context of {} ({})", prompt, context,
                    configuration_.model_names[configuration_.actions[action].model]);
    if (std::ranges::find(models, text) == models.end()) models.push_back(std::move(text));
  }
  throw ContextExceeded(
      fmt::format("the prompt leaves no room for a window of {} tokens: {}. {}",
                  configuration_.walk.window, fmt::join(models, ", "),
                  room > 0 ? fmt::format("Shorten the prompt, or take a window of at most {}", room)
                           : std::string("Shorten the prompt")));
}

void ProblemSearch::keep_checkpoint(const std::filesystem::path& path) {
  const SearchFacts& search = configuration_.search().facts;
  if (!search.traits.resumable)
    throw Error(
        fmt::format("search '{}' keeps no checkpoint; leave out --checkpoint", search.name));
  Json configuration = describe_walks(configuration_, model_cache_);
  // As tokens: a change of template or tokenizer is a change of the question.
  for (const Participant& participant : states_.setup().participants())
    configuration["prompts"].push_back(participant.prompt);
  configuration["problem"] = {problem_.id, problem_.prompt};
  configuration["reward"] = problem_.reward;
  configuration = on_device(std::move(configuration), model_cache_.backend().arithmetic(), path,
                            configuration_.mix_devices);
  Journal::States states = journal_states(states_, reward_);
  states.spent = [this] {
    return Journal::Spent{model_cache_.load_seconds(), memo_ == nullptr ? 0 : memo_->passes()};
  };
  journal_.emplace(*models_, path, configuration, std::move(states));
}

Solution ProblemSearch::run(SearchObserver& observer) {
  observer_ = &observer;
  const Configuration& c = configuration_;
  SolveOptions options = c.solve;
  options.judge_failures = kJudgeFailures;
  if (c.seconds > 0) {
    deadline_.emplace(c.seconds, [this] { return journal_ ? journal_->replayed_seconds() : 0.0; });
    options.deadline = &*deadline_;
  }
  Solution solution = run_search(
      c.search(), setup_of(c), world(), options,
      [&](const RolloutEvent& event) {
        authors_.learn(event.trial, event.outcome);
        return observer.rolled_out(event);
      },
      [&](const Search& search, const RolloutCache& known) {
        if (ahead_ == nullptr) return;
        ahead_->set_forecast(forecast_of(search, known, states_, reward_, c.solve.use_cache));
      });
  if (ahead_ != nullptr) speculation_ = ahead_->finish();
  return solution;
}

std::string ProblemSearch::text(StateId end) const { return to_valid_utf8(states_.text(end)); }

std::vector<AuthoredText> ProblemSearch::authored_text(const Candidate& candidate) const {
  std::vector<AuthoredText> pieces = authors_.text(candidate.end, candidate.actions.back());
  for (AuthoredText& piece : pieces) piece.bytes = to_valid_utf8(piece.bytes);
  return pieces;
}

}  // namespace umf
