// The seam to whatever judges an answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "reward/verdict.h"

namespace umf {

class Reward {  // made for one problem; may judge on several threads at once
 public:
  virtual ~Reward() = default;
  virtual Verdict judge(std::string_view answer) = 0;
};

// A reward from a problem file's "reward" object: {"type": "command", ...} or {"type": "text",
// ...}. `where` names the file in errors. Throws Error for an unknown type or key.
std::unique_ptr<Reward> make_reward(const Json& spec, const std::string& id,
                                    const std::string& prompt, const std::string& where);

// {"type": "command", "argv": [...], "timeout_ms": N}: the user's own program. It receives
// {"id","prompt","answer"} as JSON on stdin and prints a number or {"reward","why"}.
std::unique_ptr<Reward> make_command_reward(const Json& spec, const std::string& id,
                                            const std::string& prompt, const std::string& where);

// {"type": "text", "checks": [{"contains": TEXT} | {"equals": TEXT} | {"lacks": TEXT} |
// {"longer-than": N}]}: the share of the checks that hold.
std::unique_ptr<Reward> make_text_reward(const Json& spec, const std::string& where);

}  // namespace umf
