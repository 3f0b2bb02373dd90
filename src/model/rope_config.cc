#include "model/rope_config.h"

#include <fmt/core.h>

#include <algorithm>

namespace umf {
namespace {

constexpr double kLeastTheta = 1, kMostTheta = 1e12;
const Json kDefault = "default";

// A number, and the key it was read from, for messages.
struct Given {
  std::string key;
  double value = 0;
};

// All that a file says, in one place or another.
struct Rotations {
  bool partial = false;  // whether a rotation may be of a part of the head
  std::vector<Given> thetas, shares;
};

// Every parameter of a rotation reaches the arithmetic, so one that is not known is refused.
void read_rotation(const Config& config, const std::string& key, const Json& rotation,
                   Rotations& found) {
  if (!rotation.is_object()) config.fail(key, "must be an object");
  for (const auto& [name, value] : rotation.items()) {
    const bool plain = value.is_null() || name == "rope_theta" ||
                       (name == "partial_rotary_factor" && (found.partial || value == 1)) ||
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
    found.thetas.push_back({key + ".rope_theta", *theta});
  if (const auto share = fields.number("partial_rotary_factor", 0, 1))
    found.shares.push_back({key + ".partial_rotary_factor", *share});
}

// One rotation, or one for each kind of layer: {"full_attention": {...}, ...}.
void read_rotations(const Config& config, const std::string& key, Rotations& found) {
  const Json* value = config.find(key);
  if (value == nullptr || *value == false) return;
  const bool by_kind = value->is_object() && !value->empty() &&
                       std::ranges::all_of(*value, [](const Json& v) { return v.is_object(); });
  if (!by_kind) return read_rotation(config, key, *value, found);
  for (const auto& [kind, rotation] : value->items())
    read_rotation(config, fmt::format("{}.{}", key, kind), rotation, found);
}

// The one number that all of them are.
double agreed(const Config& config, const std::vector<Given>& all, const char* what) {
  for (const Given& one : all) {
    if (one.value != all.front().value)
      config.fail(one.key, fmt::format("is {}, but '{}' is {}; {} is supported", one.value,
                                       all.front().key, all.front().value, what));
  }
  return all.front().value;
}

double read_theta(const Config& config, Rotations& found) {
  read_rotations(config, "rope_parameters", found);
  read_rotations(config, "rope_scaling", found);
  if (config.has("rope_theta") || found.thetas.empty())
    found.thetas.insert(found.thetas.begin(),
                        {"rope_theta", config.number("rope_theta", kLeastTheta, kMostTheta)});
  return agreed(config, found.thetas, "one rotation for all layers");
}

}  // namespace

double read_rope_theta(const Config& config) {
  Rotations found;
  return read_theta(config, found);
}

PartialRotation read_partial_rotation(const Config& config, int head_dim) {
  Rotations found{.partial = true, .thetas = {}, .shares = {}};
  const double theta = read_theta(config, found);
  if (config.has("partial_rotary_factor"))
    found.shares.push_back({"partial_rotary_factor", config.number("partial_rotary_factor", 0, 1)});
  std::vector<Given> widths;
  for (const auto& [key, share] : found.shares) widths.push_back({key, share * head_dim});
  if (config.has("rotary_dim"))
    widths.push_back({"rotary_dim", double(config.integer("rotary_dim", 2, head_dim))});
  if (widths.empty()) return {theta, 0};
  const double width = agreed(config, widths, "one part of every head");
  const int rotated = static_cast<int>(width);
  if (rotated < 2 || rotated % 2 != 0 || rotated != width)
    config.fail(widths.front().key, fmt::format("gives {} of a head's {} numbers to rotate, which "
                                                "is no even number of them",
                                                width, head_dim));
  return {theta, rotated == head_dim ? 0 : rotated};
}

}  // namespace umf
