// config.json and generation_config.json as the families publish them (docs/models.md#families).
#pragma once

#include <nlohmann/json.hpp>

#include "tiny/tiny_models.h"

namespace umf {

nlohmann::ordered_json tiny_config(const TinySpec& spec, const TinyOptions& options);
nlohmann::ordered_json tiny_generation_config(const TinySpec& spec);

}  // namespace umf
