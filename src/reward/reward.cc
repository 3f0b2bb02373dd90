#include "reward/reward.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/code_reward.h"
#include "reward/math_answer.h"
#include "reward/stoppable_reward.h"

namespace umf {
namespace {

using RewardPointer = std::unique_ptr<Reward>;

// Those that run the answer's program.
template <RewardPointer (*make)(const Json&, const std::string&, const JudgeTools&)>
RewardPointer over_sandbox(const Json& spec, const Asked&, const std::string& where,
                           const JudgeTools& tools) {
  return make(spec, where, tools);
}

struct RewardEntry {
  const char* type;
  RewardPointer (*make)(const Json&, const Asked&, const std::string&, const JudgeTools&);
};

constexpr RewardEntry kRewards[] = {
    {"python-tests", over_sandbox<make_python_tests_reward>},
    {"math-answer",
     [](const Json& spec, const Asked&, const std::string& where, const JudgeTools& tools) {
       return make_math_answer_reward(spec, where, tools);
     }},
    {"prm", make_process_reward},
    {"command", make_command_reward},
    {"text", [](const Json& spec, const Asked&, const std::string& where,
                const JudgeTools&) { return make_text_reward(spec, where); }},
    {"all", make_all_reward},
    // Records of data sets, handed to the tester as they are.
    {"evalplus", over_sandbox<make_evalplus_reward>},
    {"humaneval", over_sandbox<make_humaneval_reward>},
    {"mbpp", over_sandbox<make_mbpp_reward>},
    {"livecodebench", over_sandbox<make_livecodebench_reward>},
};

RewardPointer make_by_type(const Json& spec, const Asked& asked, const std::string& where,
                           const JudgeTools& tools) {
  if (spec.is_null()) {
    throw Error(fmt::format(
        "{}: problem '{}' has no visible tests to judge answers with; give a reward of its own",
        where, asked.id));
  }
  if (!spec.is_object() || !spec.contains("type") || !spec["type"].is_string()) {
    throw Error(where + ": 'reward' must be an object with a 'type'");
  }
  const std::string type = spec["type"];
  std::vector<std::string> types;
  for (const RewardEntry& entry : kRewards) {
    if (type == entry.type) return entry.make(spec, asked, where, tools);
    types.emplace_back(entry.type);
  }
  throw Error(fmt::format("{}: there is no reward of type '{}'; there are {}", where, type,
                          fmt::join(types, ", ")));
}

}  // namespace

std::unique_ptr<Reward> make_reward(const Json& spec, const Asked& asked, const std::string& where,
                                    const JudgeTools& tools) {
  RewardPointer reward = make_by_type(spec, asked, where, tools);
  if (!tools.stop.stop_possible()) return reward;
  return std::make_unique<StoppableReward>(std::move(reward), tools.stop);
}

}  // namespace umf
