// What rewards of the command line need: loaded when first asked for, shared by all problems.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "model/model_cache.h"
#include "model/process_reward_model.h"
#include "reward/reward.h"
#include "sandbox/stoppable_sandbox.h"
#include "setup/common_options.h"

namespace umf {

// What a user who allowed programs without isolation is told on every run that has none; empty
// where there is one.
std::string isolation_warning(const SandboxOptions& options,
                              const std::vector<Isolation>& isolations);

// Must outlive the rewards that are made with its tools, on any threads. Once `stop` is asked for,
// judging ends at once.
class Judges {
 public:
  explicit Judges(const CommonOptions& options, const SandboxOptions& sandbox = {},
                  std::stop_token stop = {})
      : options_(options), sandbox_options_(sandbox), stop_(std::move(stop)) {}
  // Models that judge stand beside those of this cache, on the same devices. It must outlive this.
  void stand_beside(ModelCache& model_cache) { beside_ = &model_cache; }
  JudgeTools tools();

 private:
  // A backend of its own: it judges while others unmask.
  struct LoadedModel {
    Location location;
    std::shared_ptr<const int> device;
    std::unique_ptr<Backend> backend;
    std::unique_ptr<ProcessRewardModel> model;
  };
  ProcessRewardModel& process_reward_model(const std::string& where);
  Sandbox& sandbox();

  const CommonOptions& options_;
  const SandboxOptions sandbox_options_;
  const std::stop_token stop_;
  ModelCache* beside_ = nullptr;
  std::mutex models_mutex_;  // models that judge are loaded when first asked for
  std::vector<LoadedModel> models_;
  std::once_flag sandbox_made_;
  std::unique_ptr<Sandbox> sandbox_;
  std::optional<StoppableSandbox> stoppable_;  // over the other, where there is a stop to hear
};

}  // namespace umf
