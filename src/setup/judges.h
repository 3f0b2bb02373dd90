// What rewards of the command line need: loaded when first asked for, shared by all problems.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "model/process_reward_model.h"
#include "reward/reward.h"
#include "sandbox/stoppable_sandbox.h"
#include "setup/common_options.h"

namespace umf {

// What a user who allowed programs without isolation is told on every run that has none; empty
// where there is one.
std::string isolation_warning(const SandboxOptions& options,
                              const std::vector<Isolation>& isolations);

// Must outlive the rewards that are made with its tools. Rewards are made by one thread;
// they may ask for the sandbox on any. Once `stop` is asked for, judging ends at once.
class Judges {
 public:
  explicit Judges(const CommonOptions& options, const SandboxOptions& sandbox = {},
                  std::stop_token stop = {})
      : options_(options), sandbox_options_(sandbox), stop_(std::move(stop)) {}
  JudgeTools tools();

 private:
  // A backend of its own: it judges while others unmask.
  struct LoadedModel {
    Location location;
    std::unique_ptr<Backend> backend;
    std::unique_ptr<ProcessRewardModel> model;
  };
  ProcessRewardModel& process_reward_model(const std::string& where);
  Sandbox& sandbox();

  const CommonOptions& options_;
  const SandboxOptions sandbox_options_;
  const std::stop_token stop_;
  std::vector<LoadedModel> models_;
  std::once_flag sandbox_made_;
  std::unique_ptr<Sandbox> sandbox_;
  std::optional<StoppableSandbox> stoppable_;  // over the other, where there is a stop to hear
};

}  // namespace umf
