// A search: the answer of `umf solve`.
#pragma once

#include <memory>
#include <optional>

#include "problem_search.h"
#include "server/device_task.h"

namespace umf {

class ServedSearch final : public DeviceTask {
 public:
  // The shelf must outlive the task. Makes the search once, to find out what is wrong with it.
  // Throws Error when configuration and problem do not fit.
  ServedSearch(Shelf& shelf, Configuration configuration, Problem problem,
               std::unique_ptr<Reward> reward, bool stream_state, bool stream_rollouts);
  // What is searched, and how: {"problem","search","window","actions"}.
  Json description() const;
  // The best answer found, also when the search was ended early.
  Completion run(Listener& listener) override;

 private:
  ProblemSearch& make_search();
  bool passed(std::span<const Token> window);
  bool rolled_out(const RolloutEvent& event);
  const SpecialTokens& tokens_of(const Tokenizer& tokenizer) const;
  Completion completion(const Solution& solution) const;

  Shelf& shelf_;
  const Configuration configuration_;
  const Problem problem_;
  const std::unique_ptr<Reward> reward_;
  const bool stream_state_, stream_rollouts_;
  Listener* listener_ = nullptr;  // while it runs
  long passes_ = 0;
  long best_iteration_ = 0;
  std::optional<ProblemSearch> search_;  // while it runs: it has threads of its own
};

}  // namespace umf
