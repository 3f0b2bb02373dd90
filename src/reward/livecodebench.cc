// {"type": "livecodebench", "public", "private", "tests": "public" | "private" | "all",
//  "func_name", "mode": "emulation" | "process", "timeout_ms", "extract", "prefill"}:
// LiveCodeBench's code generation problems. public and private are lists of tests as JSON text,
// packed or not.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/answer_reader.h"
#include "reward/livecodebench_tests.h"
#include "reward/tester.h"

namespace umf {
namespace {

class LiveCodeBenchReward final : public Reward {
 public:
  LiveCodeBenchReward(SpecFields spec, const JudgeTools& tools)
      : where_(spec.where()), sandbox_(sandbox_of(tools, where_)), reader_(spec, "livecodebench") {
    const std::string which = spec.choice("tests", "all", {"all", "private", "public"});
    for (const char* list : {"public", "private"}) {
      const std::string packed = spec.text(list).value_or("");
      if (which != list && which != "all") continue;
      if (packed.empty())
        throw Error(fmt::format("{}: its {} tests are missing", spec.where(), list));
      add_tests(list, packed, spec.where());
    }
    const double seconds = spec.number("timeout_ms", 1, 600'000).value_or(6000) / 1000;
    const std::string function = spec.text("func_name").value_or("");
    payload_["func_name"] = function.empty() ? Json(nullptr) : Json(function);
    payload_["mode"] = spec.choice("mode", "emulation", {"emulation", "process"});
    payload_["seconds"] = seconds;
    payload_["every_test"] = tools.every_test;
    spec.finish();
    // One second per test for programs that do not hear the alarm, as the reference has it.
    limits_ = judging_limits({(seconds + 1) * static_cast<double>(count_) + 5, seconds}, tools);
  }

  void check() override {
    if (count_ > 0) check_tests(sandbox_, "livecodebench", payload_, limits_, where_);
  }

  Verdict judge(std::string_view answer) override {
    if (count_ == 0) return {0, "the problem has no such tests"};
    Json payload = payload_;
    payload["program"] = reader_.read(answer).program;
    return judge_with(sandbox_, {"livecodebench", payload_text(payload), limits_});
  }

  int parts() const override { return static_cast<int>(count_); }
  bool cheap() const override { return true; }

 private:
  void add_tests(const char* name, const std::string& packed, const std::string& where) {
    const std::string place = fmt::format("{}: its {} tests", where, name);
    std::string text = unpack_tests(packed, place);
    const Json tests = parse_json(text, place);
    if (!tests.is_array()) throw Error(place + " must be a list");
    for (const Json& test : tests) {
      if (!test.is_object() || !test.value("input", Json()).is_string() ||
          !test.value("output", Json()).is_string())
        throw Error(place + " must have 'input' and 'output', both strings");
    }
    count_ += tests.size();
    payload_["names"].push_back(name);
    payload_["tests"].push_back(std::move(text));
  }

  std::string where_;
  Sandbox& sandbox_;
  AnswerReader reader_;
  Json payload_;
  SandboxLimits limits_;
  std::size_t count_ = 0;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked&, const std::string& where,
                             const JudgeTools& tools) {
  return std::make_unique<LiveCodeBenchReward>(SpecFields(spec, where), tools);
}

}  // namespace

const RewardEntry kLiveCodeBenchReward = {.type = "livecodebench",
                                          .make = make,
                                          .runs_program = true,
                                          .visible_text = "public",
                                          .hidden_has_all = true,
                                          .hidden_tests = "private"};

}  // namespace umf
