// {"type": "python-tests", "tests": [{"call","expect"} | {"assert"} | {"stdin","stdout"}],
//  "entry_point", "setup", "driver", "timeout_ms", "tolerance", "extract", "prefill"}: a problem
// file's own tests.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/answer_reader.h"
#include "reward/tester.h"

namespace umf {
namespace {

bool has_texts(const Json& test, std::initializer_list<const char*> keys) {
  if (!test.is_object() || test.size() != keys.size()) return false;
  for (const char* key : keys) {
    if (!test.contains(key) || !test[key].is_string()) return false;
  }
  return true;
}

Json checked(const Json& tests, const std::string& where) {
  if (tests.empty()) throw Error(where + " needs at least one test");
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const Json& test = tests[i];
    if (!has_texts(test, {"call", "expect"}) && !has_texts(test, {"assert"}) &&
        !has_texts(test, {"stdin", "stdout"})) {
      throw Error(fmt::format(
          "{}: test {} must have 'call' and 'expect', or 'assert', or 'stdin' and 'stdout', all "
          "strings",
          where, i + 1));
    }
  }
  return tests;
}

// A test as a person would write it.
std::string written(const Json& test) {
  const auto text = [&](const char* key) { return test[key].get<std::string>(); };
  if (test.contains("call")) return text("call") + " == " + text("expect");
  if (test.contains("assert")) return text("assert");
  return fmt::format("{} -> {}", test["stdin"].dump(), test["stdout"].dump());
}

class PythonTestsReward final : public Reward {
 public:
  PythonTestsReward(SpecFields spec, const JudgeTools& tools)
      : where_(spec.where()), sandbox_(sandbox_of(tools, where_)), reader_(spec, "fenced") {
    const double seconds = spec.number("timeout_ms", 1, 600'000).value_or(5000) / 1000;
    spec.text("entry_point");  // for people: the tests name what they call
    payload_ = {{"setup", spec.text("setup").value_or("")},
                {"driver", spec.text("driver").value_or("")},
                {"seconds", seconds},
                {"every_test", tools.every_test},
                {"tolerance", spec.number("tolerance", 0, 1).value_or(0)},
                {"tests", checked(spec.needed_list("tests"), spec.where())}};
    spec.finish();
    limits_ = judging_limits({seconds * static_cast<double>(payload_["tests"].size() + 1), seconds},
                             tools);
  }

  void check() override { check_tests(sandbox_, "python_tests", payload_, limits_, where_); }

  Verdict judge(std::string_view answer) override {
    Json payload = payload_;
    payload["program"] = reader_.read(answer).program;
    Verdict verdict = judge_with(sandbox_, {"python_tests", payload_text(payload), limits_});
    const Json& tests = payload_["tests"];
    for (std::size_t i = 0; i < verdict.tests.size() && i < tests.size(); ++i)
      verdict.tests[i].name = written(tests[i]);
    return verdict;
  }

  int parts() const override { return static_cast<int>(payload_["tests"].size()); }
  bool cheap() const override { return true; }

 private:
  std::string where_;
  Sandbox& sandbox_;
  AnswerReader reader_;
  Json payload_;
  SandboxLimits limits_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked&, const std::string& where,
                             const JudgeTools& tools) {
  return std::make_unique<PythonTestsReward>(SpecFields(spec, where), tools);
}

}  // namespace

const RewardEntry kPythonTestsReward = {.type = "python-tests",
                                        .make = make,
                                        .harmless_here = true,
                                        .runs_program = true,
                                        .visible_list = "tests"};

}  // namespace umf
