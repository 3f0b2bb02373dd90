#include "reward/drop_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/raw_json.h"
#include "reward/livecodebench_tests.h"

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
  Json thin = spec;
  const std::string type = spec.is_object() ? spec.value("type", "") : "";
  if (type == "evalplus") {
    thin["base"] = thinned(spec.at("base"), id, rate, seed);
  } else if (type == "livecodebench") {
    thin["public"] = thinned(unpack_tests(spec.at("public"), id), id, rate, seed);
  } else if (type == "python-tests" || type == "mbpp") {
    const Json& tests = spec.at("tests");
    const auto keep = kept(tests.size(), id, rate, seed);
    thin["tests"] = Json::array();
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (keep[i]) thin["tests"].push_back(tests[i]);
    }
  }
  return thin;
}

}  // namespace umf
