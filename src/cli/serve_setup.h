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

// `models` are values of --model, `configs` of --config. Without either: the embedded models, and
// what is recommended for them. Throws Error, also for a configuration that cannot be planned.
Served open_served(const std::vector<std::string>& models, const std::vector<std::string>& configs,
                   ModelCache& model_cache, const CommonOptions& common);

}  // namespace umf
