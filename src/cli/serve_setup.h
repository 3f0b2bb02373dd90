// What umf serve offers: models, and configurations of them as further names.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"
#include "server/task_maker.h"

namespace umf {

struct Served {
  std::vector<ServedModel> models;  // those of --model first, then those of configurations
  std::vector<ServedConfiguration> configurations;
};

// Values of --model, --preset and --config.
struct ServedChoice {
  std::vector<std::string> models, presets, configs;
  bool empty() const { return models.empty() && presets.empty() && configs.empty(); }
};

// Without a choice: the embedded models, and what is recommended for them. Throws Error, also for a
// configuration that cannot be planned or whose reward cannot be made with the tools.
Served open_served(const ServedChoice& choice, ModelCache& model_cache, const CommonOptions& common,
                   const JudgeTools& tools);

}  // namespace umf
