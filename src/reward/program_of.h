// The program that a judge would run for an answer: what other tools are given to grade.
#pragma once

#include <string>
#include <string_view>

#include "reward/reward.h"

namespace umf {

// `spec` is a reward that runs programs; others have no program, and the answer is given back. The
// sandbox works out what needs Python's grammar. Throws Error where it fails.
std::string program_of(const Json& spec, std::string_view answer, const std::string& where,
                       const JudgeTools& tools);

}  // namespace umf
