#include "server/served_judge.h"

#include "base/cancelled.h"
#include "server/api_error.h"
#include "server/device_task.h"

namespace umf {

void check_reward(Reward& reward) {
  try {
    reward.check();
  } catch (const Cancelled&) {
    throw Interrupted();
  } catch (const Error& mistake) {
    throw ApiError(400, mistake.what(), "umf.reward");
  }
}

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
