#include "session/problem_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {

ProblemSearch::ProblemSearch(const Configuration& configuration, Shelf& shelf,
                             const Problem& problem, Reward& reward, WalkObserver observer,
                             WalkMemo* memo)
    : configuration_(configuration),
      shelf_(shelf),
      problem_(problem),
      reward_(reward),
      participants_(make_participants(configuration, shelf, problem)),
      walker_(participants_, configuration.actions, configuration.walk),
      memo_(memo) {
  make_world(std::move(observer));
  require_room();
}

void ProblemSearch::make_world(WalkObserver observer) {
  if (!configuration_.search().facts.traits.works_ahead) {
    walker_.share(memo_);
    models_ = std::make_unique<DecodingWorld>(walker_, reward_, std::move(observer));
    return;
  }
  std::vector<Walker*> crew;
  for (int i = 0; i < configuration_.workers; ++i) {
    std::vector<Participant> participants = participants_;
    for (std::size_t k = 0; k < participants.size(); ++k)
      participants[k].model = &shelf_.replica(i).model(configuration_.models[k]);
    crew_.push_back(std::make_unique<Walker>(std::move(participants), configuration_.actions,
                                             configuration_.walk));
    crew_.back()->share(memo_);
    crew.push_back(crew_.back().get());
  }
  auto ahead = std::make_unique<AheadWorld>(walker_, std::move(crew), reward_, std::move(observer));
  ahead_ = ahead.get();
  models_ = std::move(ahead);
}

// An action whose model has no room is never taken; where that is all of them, there is no search.
void ProblemSearch::require_room() const {
  int room = 0;
  std::vector<std::string> models;
  for (int action = 0; action < walker_.actions(); ++action) {
    if (walker_.enter({.from = 0, .action = action})) return;
    const int model = walker_.model_of(action);
    const int context = participants_[model].model->info().max_length;
    const int prompt = static_cast<int>(participants_[model].prompt.size());
    room = std::max(room, context - prompt);
    std::string text = fmt::format("{} prompt tokens in a context of {} ({})", prompt, context,
                                   configuration_.model_names[model]);
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
  Json configuration = describe_walks(configuration_, shelf_);
  // As tokens: a change of template or tokenizer is a change of the question.
  for (const Participant& participant : participants_)
    configuration["prompts"].push_back(participant.prompt);
  configuration["problem"] = {problem_.id, problem_.prompt};
  configuration["reward"] = problem_.reward;
  Journal::States states = journal_states(walker_);
  states.spent = [this] {
    return Journal::Spent{shelf_.load_seconds(), memo_ == nullptr ? 0 : memo_->passes()};
  };
  journal_.emplace(*models_, path, configuration, std::move(states));
}

Solution ProblemSearch::run(const Observer& observer) {
  const Configuration& c = configuration_;
  SolveOptions options = c.solve;
  options.judge_failures = kJudgeFailures;
  Solution solution = run_search(
      c.search(), setup_of(c), world(), options, observer,
      [&](const Search& search, const RolloutCache& known) {
        if (ahead_ == nullptr) return;
        ahead_->set_forecast(forecast_of(search, known, walker_, reward_, c.solve.use_cache));
      });
  if (ahead_ != nullptr) speculation_ = ahead_->finish();
  return solution;
}

std::string ProblemSearch::text(StateId end) const { return to_valid_utf8(walker_.text(end)); }

std::vector<AuthoredText> ProblemSearch::authors(const Candidate& candidate) const {
  std::vector<AuthoredText> pieces = authorship(walker_, candidate.path, candidate.actions);
  for (AuthoredText& piece : pieces) piece.bytes = to_valid_utf8(piece.bytes);
  return pieces;
}

}  // namespace umf
