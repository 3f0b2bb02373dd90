// What rewards of the command line need: loaded when first asked for, shared by all problems.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/common.h"
#include "model/process_reward_model.h"
#include "reward/reward.h"

namespace umf {

// Must outlive the rewards that are made with its tools. Rewards are made by one thread.
class Judges {
 public:
  explicit Judges(const CommonOptions& options) : options_(options) {}
  JudgeTools tools();

 private:
  // A backend of its own: it judges while others unmask.
  struct LoadedModel {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<ProcessRewardModel> model;
  };
  ProcessRewardModel& process_reward_model(const std::string& where);

  const CommonOptions& options_;
  std::map<std::string, LoadedModel> models_;  // by place
};

}  // namespace umf
