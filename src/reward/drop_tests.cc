#include "reward/drop_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/raw_json.h"
#include "reward/livecodebench_tests.h"
#include "reward/reward.h"

namespace umf {
namespace {

std::vector<bool> kept(std::size_t count, const std::string& id, double rate, std::uint64_t seed) {
  const std::vector<Token> state(id.begin(), id.end());
  const NoiseKey key = noise_key(seed, 0x64726F70 /* "drop" */, state);
  std::vector<float> draws;
  for (std::uint32_t i = 0; i < count; ++i) draws.push_back(position_noise(key, i));
  std::vector<bool> keep;
  for (const float draw : draws) keep.push_back(draw >= rate);
  const auto highest = std::max_element(draws.begin(), draws.end());
  if (highest != draws.end()) keep[highest - draws.begin()] = true;
  return keep;
}

// The text of a JSON list without the elements that are not kept.
std::string thinned(const std::string& list, const std::string& id, double rate,
                    std::uint64_t seed) {
  const auto elements = raw_elements(list, "the tests of " + id);
  const auto keep = kept(elements.size(), id, rate, seed);
  std::vector<std::string_view> left;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (keep[i]) left.push_back(elements[i]);
  }
  return fmt::format("[{}]", fmt::join(left, ", "));
}

}  // namespace

Json drop_tests(const Json& spec, const std::string& id, double rate, std::uint64_t seed) {
  if (!(rate >= 0 && rate <= 1))
    throw Error(fmt::format("tests are dropped at a rate from 0 to 1, not {}", rate));
  const RewardEntry* reward = find_reward(spec);
  Json thin = spec;
  const auto tests_in = [&](const char* field) {
    return field == nullptr ? Json() : thin.value(field, Json());
  };
  if (reward == nullptr) return thin;
  if (const Json tests = tests_in(reward->visible_list); tests.is_array()) {
    const auto keep = kept(tests.size(), id, rate, seed);
    Json& left = thin[reward->visible_list] = Json::array();
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (keep[i]) left.push_back(tests[i]);
    }
  }
  if (const Json tests = tests_in(reward->visible_text); tests.is_string())
    thin[reward->visible_text] = thinned(unpack_tests(tests, id), id, rate, seed);
  return thin;
}

}  // namespace umf
