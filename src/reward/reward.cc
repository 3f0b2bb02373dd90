#include "reward/reward.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/stoppable_reward.h"

namespace umf {

const RewardEntry* find_reward(const Json& spec) {
  const Json type = spec.is_object() ? spec.value("type", Json()) : Json();
  for (const RewardEntry* entry : kRewards) {
    if (type == entry->type) return entry;
  }
  return nullptr;
}

std::unique_ptr<Reward> make_reward(const Json& spec, const Asked& asked, const std::string& where,
                                    const JudgeTools& tools) {
  if (spec.is_null()) {
    throw Error(fmt::format(
        "{}: problem '{}' has no visible tests to judge answers with; give a reward of its own",
        where, asked.id));
  }
  if (!spec.is_object() || !spec.contains("type") || !spec["type"].is_string()) {
    throw Error(where + ": 'reward' must be an object with a 'type'");
  }
  const RewardEntry* entry = find_reward(spec);
  if (entry == nullptr) {
    std::vector<const char*> types;
    for (const RewardEntry* known : kRewards) types.push_back(known->type);
    throw Error(fmt::format("{}: there is no reward of type '{}'; there are {}", where,
                            spec["type"].get<std::string>(), fmt::join(types, ", ")));
  }
  auto reward = entry->make(spec, asked, where, tools);
  if (!tools.stop.stop_possible()) return reward;
  return std::make_unique<StoppableReward>(std::move(reward), tools.stop);
}

}  // namespace umf
