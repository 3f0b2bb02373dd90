// One problem, one configuration: the search that solve, bench and every other front runs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "decode/authors.h"
#include "session/ahead_world.h"
#include "session/configuration.h"
#include "session/decoding_world.h"
#include "session/journal.h"
#include "session/search_observer.h"

namespace umf {

// So many failures of the judge in a row end a search.
inline constexpr int kJudgeFailures = 3;

// A prompt that leaves no room for the answer in the context of any model.
class ContextExceeded final : public Error {
 public:
  using Error::Error;
};

// Renders the prompt for each model and keeps the states of the search. Works ahead on as
// many replicas of the model cache as the configuration says. All that is given must outlive it.
// One at a time for the models of a model cache.
class ProblemSearch {
 public:
  // Searches for the same problem may share a `memo`. Throws Error when configuration and problem
  // do not fit together, ContextExceeded where that is the prompt's size.
  ProblemSearch(const Configuration& configuration, ModelCache& model_cache, const Problem& problem,
                Reward& reward, WalkMemo* memo = nullptr);

  // Writes down every step in `path`, and continues from there what an earlier run began. Throws
  // Error for a file of another search, and for a search that keeps none.
  void keep_checkpoint(const std::filesystem::path& path);

  // Once.
  Solution run(SearchObserver& observer);

  // The answer of a candidate; bytes that are not UTF-8 are replaced.
  std::string text(StateId end) const;
  // The same text by who wrote it: author_names() of the configuration tells who is who.
  std::vector<AuthoredText> authored_text(const Candidate& candidate) const;
  // Of every state that a rollout has passed, before observers hear of the rollout.
  const Authors& authors() const { return authors_; }
  long prompt_tokens() const {
    return static_cast<long>(states_.setup().participants().front().prompt.size());
  }
  const States& states() const { return states_; }
  const Speculation& speculation() const { return speculation_; }  // after the run
  // Forward passes that an earlier run made, taken from its checkpoint.
  long earlier_passes() const { return journal_ ? journal_->earlier_passes() : 0; }

 private:
  void make_world();
  bool passed(const Pass& pass);
  void require_room() const;
  World& world() { return journal_ ? static_cast<World&>(*journal_) : *models_; }

  const Configuration& configuration_;
  ModelCache& model_cache_;
  const Problem& problem_;
  RememberingReward reward_;  // in one search a text has one verdict, also where the judge failed
  States states_;
  Authors authors_{states_};
  WalkMemo* memo_;
  SearchObserver* observer_ = nullptr;  // while it runs
  std::unique_ptr<World> models_;       // what walks and judges
  AheadWorld* ahead_ = nullptr;         // the same, for a search of walks
  std::optional<Journal> journal_;
  std::optional<Deadline> deadline_;
  Speculation speculation_;
};

}  // namespace umf
