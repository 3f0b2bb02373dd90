// What a judge says of an answer.
#pragma once

#include <string>
#include <vector>

namespace umf {

enum class TestOutcome { kPass, kWrong, kError, kTimeout, kMemory, kCrash, kSandboxError };
const char* name_of(TestOutcome outcome);

struct TestVerdict {
  std::string name;  // "f(2) == 7", "test 3", or what the data set calls it
  TestOutcome outcome = TestOutcome::kPass;
  std::string why;  // "expected 7, got 5"; empty where it passed
  // Texts of lines of the program that an exception went through, where it was raised last; without
  // the space around them.
  std::vector<std::string> lines = {};
};

struct Verdict {
  double reward = 0;                    // from 0 to 1; NaN where the judge itself failed
  std::string why;                      // for people: "test 3: expected 7, got 5"
  std::vector<TestVerdict> tests = {};  // in order, where the judge runs tests

  bool passed() const { return reward >= 1; }
};

}  // namespace umf
