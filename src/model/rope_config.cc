#include "model/rope_config.h"

#include <fmt/core.h>

#include <algorithm>

namespace umf {
namespace {

constexpr double kLeastTheta = 1, kMostTheta = 1e12;
const Json kDefault = "default";

// theta, and the key it was read from, for messages.
struct Theta {
  std::string key;
  double value = 0;
};

// Every parameter of a rotation reaches the arithmetic, so one that is not known is refused.
void read_rotation(const Config& config, const std::string& key, const Json& rotation,
                   std::vector<Theta>& found) {
  if (!rotation.is_object()) config.fail(key, "must be an object");
  for (const auto& [name, value] : rotation.items()) {
    const bool plain = value.is_null() || name == "rope_theta" ||
                       (name == "partial_rotary_factor" && value == 1) ||
                       ((name == "rope_type" || name == "type") && value == kDefault);
    if (!plain)
      config.fail(fmt::format("{}.{}", key, name),
                  fmt::format("is {}, which is not supported (only the default rotation, of the "
                              "whole head)",
                              value.dump()));
  }
  const JsonFields fields(rotation, fmt::format("{}: key '{}'", config.where(), key),
                          JsonFields::Null::kIsAbsent);
  if (const auto theta = fields.number("rope_theta", kLeastTheta, kMostTheta))
    found.push_back({key + ".rope_theta", *theta});
}

// One rotation, or one for each kind of layer: {"full_attention": {...}, ...}.
void read_rotations(const Config& config, const std::string& key, std::vector<Theta>& found) {
  const Json* value = config.find(key);
  if (value == nullptr || *value == false) return;
  const bool by_kind = value->is_object() && !value->empty() &&
                       std::ranges::all_of(*value, [](const Json& v) { return v.is_object(); });
  if (!by_kind) return read_rotation(config, key, *value, found);
  for (const auto& [kind, rotation] : value->items())
    read_rotation(config, fmt::format("{}.{}", key, kind), rotation, found);
}

}  // namespace

double read_rope_theta(const Config& config) {
  std::vector<Theta> found;
  read_rotations(config, "rope_parameters", found);
  read_rotations(config, "rope_scaling", found);
  if (config.has("rope_theta") || found.empty())
    found.insert(found.begin(),
                 {"rope_theta", config.number("rope_theta", kLeastTheta, kMostTheta)});
  for (const Theta& theta : found) {
    if (theta.value != found.front().value)
      config.fail(theta.key, fmt::format("is {}, but '{}' is {}; one rotation for all layers is "
                                         "supported",
                                         theta.value, found.front().key, found.front().value));
  }
  return found.front().value;
}

}  // namespace umf
