// The judge of one search, which can be called off without the others.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "reward/reward.h"
#include "sandbox/stoppable_sandbox.h"

namespace umf {

// As ServedJudge::check, for any reward.
void check_reward(Reward& reward);

class ServedJudge {
 public:
  // The tools are those that all searches share; they must outlive the judge. Throws Error for a
  // spec that is none.
  ServedJudge(const Json& spec, const Asked& asked, const JudgeTools& shared);
  ServedJudge(const ServedJudge&) = delete;
  ServedJudge& operator=(const ServedJudge&) = delete;

  Reward& reward() { return *reward_; }
  // Before the first pass. Throws ApiError 400 where no answer could ever be judged, and
  // Interrupted where the search was called off meanwhile.
  void check() { check_reward(*reward_); }
  // Ends what is being judged, and everything after it, as Cancelled. May outlive the judge.
  std::stop_source stop_source() const { return stop_; }

 private:
  Sandbox& sandbox();

  const JudgeTools& shared_;
  std::stop_source stop_;
  std::once_flag sandbox_made_;
  std::optional<StoppableSandbox> sandbox_;
  std::unique_ptr<Reward> reward_;  // last: it uses the above
};

}  // namespace umf
