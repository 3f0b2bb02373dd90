// {"type": "math-answer", "answer": TEXT, "checker": NAME, "config": {...}}: is the answer in the
// model's text the gold answer? `checker` is math-verify (the default), hendrycks or opencompass;
// `config` is for math-verify alone.
#pragma once

#include <memory>

#include "reward/reward.h"

namespace umf {

std::unique_ptr<Reward> make_math_answer_reward(const Json& spec, const std::string& where,
                                                const JudgeTools& tools);

}  // namespace umf
