// A search: the answer of `umf solve`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "decode/window_authors.h"
#include "problem_search.h"
#include "server/device_task.h"
#include "trace.h"

namespace umf {

// What a listener is told while a search runs.
struct ServedNews {
  bool states = false, rollouts = false;
  // For those who draw: rollouts as the lines of a trace, states cell by cell with their authors.
  bool drawn = false;
};

class ServedSearch final : public DeviceTask {
 public:
  // The shelf must outlive the task. Makes the search once, to find out what is wrong with it.
  // Throws Error when configuration and problem do not fit.
  ServedSearch(Shelf& shelf, Configuration configuration, Problem problem,
               std::unique_ptr<Reward> reward, const ServedNews& news);
  // What is searched, and how: {"problem","search","window","actions"}.
  Json description() const;
  // The best answer found, also when the search was ended early.
  Completion run(Listener& listener) override;

 private:
  void make_search();
  bool passed(std::span<const Token> window);
  Json state_json(std::span<const Token> window) const;
  void draw(std::span<const Token> window);
  Json drawn_state_json(std::span<const Token> window) const;
  Json rollout_json(const RolloutEvent& event);
  bool rolled_out(const RolloutEvent& event);
  const SpecialTokens& tokens_of(const Tokenizer& tokenizer) const;
  Completion completion(const Solution& solution) const;

  Shelf& shelf_;
  const Configuration configuration_;
  const Problem problem_;
  const std::unique_ptr<Reward> reward_;
  const ServedNews news_;
  Listener* listener_ = nullptr;  // while it runs
  long passes_ = 0;
  long best_iteration_ = 0;
  std::optional<ProblemSearch> search_;   // while it runs: it has threads of its own
  std::optional<WindowAuthors> authors_;  // for those who draw
  std::chrono::steady_clock::time_point drawn_{};
  std::optional<TraceWriter> trace_;
};

}  // namespace umf
