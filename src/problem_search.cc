#include "problem_search.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {
namespace {

std::unique_ptr<Search> make_search(const Configuration& c, Place root, const RolloutCache& cache) {
  return umf::make_search(c.search_name, {.root = root,
                                          .actions = static_cast<int>(c.actions.size()),
                                          .seed = c.seed,
                                          .options = c.search_options,
                                          .cache = &cache});
}

}  // namespace

ProblemSearch::ProblemSearch(const Configuration& configuration, Shelf& shelf,
                             const Problem& problem, Reward& reward, WalkObserver observer,
                             WalkMemo* memo)
    : configuration_(configuration),
      shelf_(shelf),
      problem_(problem),
      reward_(reward),
      participants_(make_participants(configuration, shelf, problem)),
      walker_(participants_, configuration.actions, configuration.walk) {
  if (configuration.search_name == kTreasureName) {
    if (configuration.workers > 1)
      throw Error("search 'treasure' goes pass by pass and cannot work ahead; leave out --workers");
    if (configuration.actions.size() != 1)
      throw Error(fmt::format("search 'treasure' takes one action, and {} were given. Give one.",
                              configuration.actions.size()));
    walker_.share(memo);
    models_ = std::make_unique<DecodingWorld>(walker_, reward, std::move(observer));
    return;
  }
  make_search(configuration, walker_.root(), RolloutCache());  // throws what run() would throw
  std::vector<Walker*> crew;
  for (int i = 0; i < configuration.workers; ++i) {
    std::vector<Participant> participants = participants_;
    for (std::size_t k = 0; k < participants.size(); ++k)
      participants[k].model = &shelf.replica(i).model(configuration.models[k]);
    crew_.push_back(std::make_unique<Walker>(std::move(participants), configuration.actions,
                                             configuration.walk));
    crew_.back()->share(memo);
    crew.push_back(crew_.back().get());
  }
  auto ahead = std::make_unique<AheadWorld>(walker_, std::move(crew), reward, std::move(observer));
  ahead_ = ahead.get();
  models_ = std::move(ahead);
}

void ProblemSearch::keep_checkpoint(const std::filesystem::path& path) {
  if (configuration_.search_name == kTreasureName)
    throw Error("search 'treasure' keeps no checkpoint; leave out --checkpoint");
  Json configuration = describe_walks(configuration_, shelf_);
  // As tokens: a change of template or tokenizer is a change of the question.
  for (const Participant& participant : participants_)
    configuration["prompts"].push_back(participant.prompt);
  configuration["problem"] = {problem_.id, problem_.prompt};
  configuration["reward"] = problem_.reward;
  journal_.emplace(*models_, path, configuration, journal_states(walker_));
}

Solution ProblemSearch::run(const Observer& observer) {
  const Configuration& c = configuration_;
  // A beam is no search of walks: it branches at every pass.
  if (ahead_ == nullptr) return treasure(world(), 0, c.treasure, c.solve, observer);
  RolloutCache cache;
  const auto search = make_search(c, walker_.root(), cache);
  ahead_->set_forecast(forecast_of(*search, cache, walker_, reward_, c.solve.use_cache));
  Solution solution = solve(*search, world(), cache, c.solve, observer);
  speculation_ = ahead_->finish();
  return solution;
}

std::string ProblemSearch::text(StateId end) const { return to_valid_utf8(walker_.text(end)); }

std::vector<AuthoredText> ProblemSearch::authors(const Candidate& candidate) const {
  std::vector<AuthoredText> pieces = authorship(walker_, candidate.path, candidate.actions);
  for (AuthoredText& piece : pieces) piece.bytes = to_valid_utf8(piece.bytes);
  return pieces;
}

}  // namespace umf
