#include "cli/judges.h"

namespace umf {

JudgeTools Judges::tools() {
  return {.process_reward_model = [this](const std::string& where) -> ProcessRewardModel& {
    return process_reward_model(where);
  }};
}

ProcessRewardModel& Judges::process_reward_model(const std::string& where) {
  const Location location = find_checkpoint(where);
  const std::string place = std::filesystem::weakly_canonical(location.directory).string();
  LoadedModel& loaded = models_[place];
  if (!loaded.model) {
    auto backend = options_.make_backend();
    loaded.model = std::make_unique<ProcessRewardModel>(open_checkpoint(location), *backend);
    loaded.backend = std::move(backend);
  }
  return *loaded.model;
}

}  // namespace umf
