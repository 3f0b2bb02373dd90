// The seam to whatever judges an answer.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/verdict.h"

namespace umf {

class ProcessRewardModel;
class Sandbox;

class Reward {  // made for one problem; may judge on several threads at once
 public:
  virtual ~Reward() = default;
  // Throws Cancelled once its tools are asked to stop.
  virtual Verdict judge(std::string_view answer) = 0;
  // Before the first answer: throws Error where none could ever be judged, as with a test that is
  // no Python.
  virtual void check() {}
  // Above 0: every reward is a share of this many equal parts, as tests passed are of all tests.
  virtual int parts() const { return 0; }
};

// What rewards may need, made when first asked for and shared by all problems of a run. Must
// outlive the rewards. A reward that needs what is not there is an Error.
struct JudgeTools {
  std::function<Sandbox&()> sandbox;
  std::function<ProcessRewardModel&(const std::string& where)> process_reward_model;
  std::stop_token stop = {};  // the sandbox hears it by itself (StoppableSandbox)
  // Every test of a program runs, by the rules of the public graders. Otherwise a program that ran
  // out of time in two tests is not asked again, and those left count as failed: rewards are shares
  // of all tests all the same.
  bool every_test = false;
  // No program or command that judges an answer runs longer, whatever its tests ask for; tests that
  // are not done by then have failed. 0: as long as the tests ask for.
  int most_judging_ms = 0;
};

// The question that an answer is for, as far as judges look at it.
struct Asked {
  std::string id, prompt;
};

// A reward from a problem file's "reward" or "hidden" object, by its "type". `where` names the file
// in errors. Throws Error for an unknown type or key.
std::unique_ptr<Reward> make_reward(const Json& spec, const Asked& asked, const std::string& where,
                                    const JudgeTools& tools = {});

// {"type": "command", "argv": [...], "timeout_ms": N}: the user's own program. It receives
// {"id","prompt","answer"} as JSON on stdin and prints a number or {"reward","why"}.
std::unique_ptr<Reward> make_command_reward(const Json& spec, const Asked& asked,
                                            const std::string& where, const JudgeTools& tools);

// {"type": "text", "checks": [{"contains": TEXT} | {"equals": TEXT} | {"lacks": TEXT} |
// {"longer-than": N}]}: the share of the checks that hold.
std::unique_ptr<Reward> make_text_reward(const Json& spec, const std::string& where);

// {"type": "prm", "model": WHERE, "aggregate": "min" | "product" | "last"}: a process reward model
// scores every step of the answer; without a choice the last score counts
// (docs/models.md#the-process-reward-model).
std::unique_ptr<Reward> make_process_reward(const Json& spec, const Asked& asked,
                                            const std::string& where, const JudgeTools& tools);

// {"type": "all", "of": [reward, ...]}: right where all of them are; the share of all their tests.
// Rewards without tests of their own count as one.
std::unique_ptr<Reward> make_all_reward(const Json& spec, const Asked& asked,
                                        const std::string& where, const JudgeTools& tools);

}  // namespace umf
