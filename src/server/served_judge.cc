#include "server/served_judge.h"

namespace umf {

ServedJudge::ServedJudge(const Json& spec, const Asked& asked, const JudgeTools& shared)
    : shared_(shared) {
  JudgeTools tools = shared;
  tools.stop = stop_.get_token();
  if (shared.sandbox) tools.sandbox = [this]() -> Sandbox& { return sandbox(); };
  reward_ = make_reward(spec, asked, "umf.reward", tools);
}

// When first asked for, by whichever thread: most searches need none.
Sandbox& ServedJudge::sandbox() {
  std::call_once(sandbox_made_, [this] { sandbox_.emplace(shared_.sandbox(), stop_.get_token()); });
  return *sandbox_;
}

}  // namespace umf
