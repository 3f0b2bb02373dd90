#include "reward/reward.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/code_reward.h"
#include "reward/tester.h"

namespace umf {
namespace {

// Those that run the answer's program in the sandbox.
constexpr std::pair<const char*,
                    std::unique_ptr<Reward> (*)(const Json&, const std::string&, Sandbox&)>
    kCodeRewards[] = {{"python-tests", make_python_tests_reward},
                      {"evalplus", make_evalplus_reward},
                      {"humaneval", make_humaneval_reward},
                      {"mbpp", make_mbpp_reward},
                      {"livecodebench", make_livecodebench_reward}};

}  // namespace

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
  const std::string type = spec["type"];
  if (type == "command") return make_command_reward(spec, asked, where);
  if (type == "text") return make_text_reward(spec, where);
  if (type == "all") return make_all_reward(spec, asked, where, tools);
  for (const auto& [name, make] : kCodeRewards) {
    if (type == name)
      return make(spec, where, sandbox_of(tools, where + ": reward '" + type + "'"));
  }
  throw Error(fmt::format(
      "{}: this version has no reward of type '{}'; it has command, text, all, python-tests, "
      "evalplus, humaneval, mbpp and livecodebench",
      where, type));
}

}  // namespace umf
