#include "model/rope_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "tokenizer/utf8.h"

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
    read_rotation(config, fmt::format("{}.{}", key, excerpt(kind)), rotation, found);
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

const Json kYarn = "yarn";
constexpr const char* kStretchKeys[] = {"rope_type",
                                        "type",
                                        "rope_theta",
                                        "factor",
                                        "original_max_position_embeddings",
                                        "beta_fast",
                                        "beta_slow",
                                        "truncate",
                                        "mscale",
                                        "mscale_all_dim",
                                        "attention_factor",
                                        "llama_4_scaling_beta"};

// A stretched rotation under one of its keys, as it stands there.
class StretchReader {
 public:
  StretchReader(const Config& config, std::string key)
      : config_(config),
        key_(std::move(key)),
        rotation_(*config.find(key_)),
        fields_(rotation_, fmt::format("{}: key '{}'", config.where(), key_),
                JsonFields::Null::kIsAbsent) {}

  StretchedRotation read(int max_length) const {
    check_keys();
    StretchedRotation found;
    found.theta = needed("rope_theta", 2, kMostTheta);
    found.stretch = {.factor = needed("factor", 1e-3, 1e6),
                     .length = original_length(),
                     .fast = fields_.number("beta_fast", 1e-3, 1e6).value_or(32),
                     .slow = fields_.number("beta_slow", 1e-3, 1e6).value_or(1),
                     .whole_pairs = fields_.flag("truncate").value_or(true)};
    check_factor(found.stretch, max_length);
    check_attention_factor();
    const double share = needed("llama_4_scaling_beta", 0, 1e3);
    if (share > 0) found.query_growth = {share, found.stretch.length};
    return found;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    config_.fail(fmt::format("{}.{}", key_, name), what);
  }

  void check_keys() const {
    bool named = false;
    for (const auto& [name, value] : rotation_.items()) {
      const bool is_type = name == "rope_type" || name == "type";
      const bool known = std::ranges::find(kStretchKeys, name) != std::end(kStretchKeys);
      if (!known || (is_type && value != kYarn))
        fail(name, fmt::format("is {}, which is not supported (only \"yarn\" and its parameters)",
                               value.dump()));
      named = named || is_type;
    }
    if (!named) fail("rope_type", "is missing");
  }

  int original_length() const {
    constexpr const char* kName = "original_max_position_embeddings";
    const auto length = fields_.integer(kName, 1, 1 << 24);
    if (!length) fail(kName, "is missing");
    return static_cast<int>(*length);
  }

  double needed(const std::string& name, double least, double most) const {
    const auto number = fields_.number(name, least, most);
    if (!number) fail(name, "is missing");
    return *number;
  }

  // Versions of the library differ in which of the two they compute with.
  void check_factor(const RotationStretch& stretch, int max_length) const {
    const double implied = static_cast<double>(max_length) / stretch.length;
    if (std::abs(stretch.factor - implied) > 1e-6 * implied)
      fail("factor", fmt::format("is {}, but 'max_position_embeddings' is {} times the original "
                                 "{}; the two must agree",
                                 stretch.factor, implied, stretch.length));
  }

  // cos and sin as they are: a factor given, or two that are one another's.
  void check_attention_factor() const {
    const auto given = fields_.number("attention_factor", 0, 1e6);
    const auto scale = fields_.number("mscale", 0, 1e6),
               all = fields_.number("mscale_all_dim", 0, 1e6);
    if (given ? *given != 1 : !(scale && all && *scale == *all && *scale > 0))
      fail(given ? "attention_factor" : "mscale",
           "gives an attention factor that is not supported (only 1: 'mscale' and "
           "'mscale_all_dim' are equal, or 'attention_factor' is 1)");
  }

  const Config& config_;
  const std::string key_;
  const Json& rotation_;
  const JsonFields fields_;
};

}  // namespace

double read_rope_theta(const Config& config) {
  Rotations found;
  return read_theta(config, found);
}

StretchedRotation read_stretched_rotation(const Config& config, int max_length) {
  constexpr const char *kNew = "rope_parameters", *kOld = "rope_scaling";
  const Json *now = config.find(kNew), *before = config.find(kOld);
  const std::string key = now != nullptr ? kNew : kOld;
  for (const Json* rotation : {now, before}) {
    if (rotation != nullptr && !rotation->is_object())
      config.fail(rotation == now ? kNew : kOld, "must be an object");
  }
  if (now == nullptr && before == nullptr) config.fail(kNew, "is missing");
  if (now != nullptr && before != nullptr && *now != *before)
    config.fail(kOld, fmt::format("differs from '{}'", kNew));
  const StretchedRotation found = StretchReader(config, key).read(max_length);
  if (config.has("rope_theta") &&
      config.number("rope_theta", kLeastTheta, kMostTheta) != found.theta)
    config.fail(key + ".rope_theta",
                fmt::format("is {}, but 'rope_theta' is {}", found.theta,
                            config.number("rope_theta", kLeastTheta, kMostTheta)));
  return found;
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
