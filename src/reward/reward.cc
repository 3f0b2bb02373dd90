#include "reward/reward.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/math_answer.h"

namespace umf {

std::unique_ptr<Reward> make_reward(const Json& spec, const Asked& asked, const std::string& where,
                                    const JudgeTools& tools) {
  if (!spec.is_object() || !spec.contains("type") || !spec["type"].is_string()) {
    throw Error(where + ": 'reward' must be an object with a 'type'");
  }
  const std::string type = spec["type"];
  if (type == "command") return make_command_reward(spec, asked, where);
  if (type == "text") return make_text_reward(spec, where);
  if (type == "math-answer") return make_math_answer_reward(spec, where, tools);
  if (type == "prm") return make_process_reward(spec, asked, where, tools);
  throw Error(fmt::format("{}: there is no reward of type '{}'", where, type));
}

}  // namespace umf
