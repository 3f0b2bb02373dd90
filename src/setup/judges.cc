#include "setup/judges.h"

#include <algorithm>

#include "setup/worker_devices.h"

namespace umf {

std::string isolation_warning(const SandboxOptions& options,
                              const std::vector<Isolation>& isolations) {
  const bool isolated = std::ranges::any_of(
      isolations, [](const Isolation& isolation) { return isolation.objection.empty(); });
  if (isolated || !options.unsafe) return "";
  return "programs run WITHOUT isolation on this machine: they can read and change what you can. "
         "`umf doctor` tells what is missing";
}

JudgeTools Judges::tools() {
  return {.sandbox = [this]() -> Sandbox& { return sandbox(); },
          .process_reward_model = [this](const std::string& where) -> ProcessRewardModel& {
            return process_reward_model(where);
          },
          .stop = stop_};
}

Sandbox& Judges::sandbox() {
  std::call_once(sandbox_made_, [this] {
    sandbox_ = make_sandbox(sandbox_options_);
    if (stop_.stop_possible()) stoppable_.emplace(*sandbox_, stop_);
    if (!sandbox_options_.unsafe) return;
    const std::string warning = isolation_warning(sandbox_options_, isolations());
    if (!warning.empty()) options_.warning(warning);
  });
  return stoppable_ ? static_cast<Sandbox&>(*stoppable_) : *sandbox_;
}

ProcessRewardModel& Judges::process_reward_model(const std::string& where) {
  const std::lock_guard lock(models_mutex_);
  const Location location = find_checkpoint(where);
  for (const LoadedModel& loaded : models_) {
    if (loaded.location.is(location)) return *loaded.model;
  }
  Checkpoint checkpoint = options_.open(location);
  std::shared_ptr<const int> device;
  if (beside_ && beside_->is_spread())
    device = beside_->device_for_guest(kJudgePlace, checkpoint.weights.bytes());
  auto backend = device ? options_.make_backend_on(*device) : options_.make_backend();
  auto model = std::make_unique<ProcessRewardModel>(std::move(checkpoint), *backend);
  models_.push_back({location, std::move(device), std::move(backend), std::move(model)});
  return *models_.back().model;
}

}  // namespace umf
