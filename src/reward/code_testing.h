// For tests of rewards that run programs: one sandbox for the whole test program.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "reward/reward.h"
#include "sandbox/sandbox.h"

namespace umf {

inline const JudgeTools& test_tools() {
  static const JudgeTools tools{.sandbox = []() -> Sandbox& {
    static const std::unique_ptr<Sandbox> sandbox = make_sandbox({.unsafe = true});
    return *sandbox;
  }};
  return tools;
}

inline Verdict judged(const Json& spec, const std::string& answer) {
  return make_reward(spec, {"id", "the prompt"}, "p.json", test_tools())->judge(answer);
}

// "pass wrong error": the outcomes in order.
inline std::string outcomes(const Verdict& verdict) {
  std::string text;
  for (const TestVerdict& test : verdict.tests) {
    if (!text.empty()) text += ' ';
    text += name_of(test.outcome);
  }
  return text;
}

}  // namespace umf
