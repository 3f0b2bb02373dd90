// Rewards that run the program in an answer: what they share, and the makers of each, which throw
// Error where the tools have no sandbox.
#pragma once

#include <memory>

#include "reward/code_extraction.h"
#include "reward/reward.h"
#include "reward/spec.h"

namespace umf {

// How a spec says that programs are found in answers: "extract" and "prefill".
class AnswerReader {
 public:
  // Throws Error for an unknown way.
  AnswerReader(const SpecFields& spec, const std::string& otherwise,
               ExtractionContext context = {});
  Extraction read(std::string_view answer) const;

 private:
  std::string way_;
  ExtractionContext context_;
};

// {"type": "python-tests", "tests": [{"call","expect"} | {"assert"} | {"stdin","stdout"}],
//  "entry_point", "setup", "driver", "timeout_ms", "tolerance", "extract", "prefill"}
std::unique_ptr<Reward> make_python_tests_reward(const Json& spec, const std::string& where,
                                                 const JudgeTools& tools);
// {"type": "evalplus", "task_id", "prompt", "entry_point", "canonical_solution", "atol", "base",
//  "plus", "tests": "base" | "plus" | "all", "minimum_seconds", "factor", "extract", "prefill"};
// base and plus are the JSON texts of the lists of inputs.
std::unique_ptr<Reward> make_evalplus_reward(const Json& spec, const std::string& where,
                                             const JudgeTools& tools);
// {"type": "humaneval", "task_id", "prompt", "entry_point", "test", "timeout_ms", "extract",
//  "prefill"}
std::unique_ptr<Reward> make_humaneval_reward(const Json& spec, const std::string& where,
                                              const JudgeTools& tools);
// {"type": "mbpp", "tests": [asserts], "setup", "run": "each" | "together", "timeout_ms",
// "extract",
//  "prefill"}
std::unique_ptr<Reward> make_mbpp_reward(const Json& spec, const std::string& where,
                                         const JudgeTools& tools);
// {"type": "livecodebench", "public", "private", "tests": "public" | "private" | "all",
// "func_name",
//  "mode": "emulation" | "process", "timeout_ms", "extract", "prefill"}; public and private are
//  lists
// of tests as JSON text, packed or not.
std::unique_ptr<Reward> make_livecodebench_reward(const Json& spec, const std::string& where,
                                                  const JudgeTools& tools);

}  // namespace umf
