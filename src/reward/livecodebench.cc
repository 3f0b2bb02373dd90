// LiveCodeBench's code generation problems.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/code_reward.h"
#include "reward/livecodebench_tests.h"
#include "reward/tester.h"

namespace umf {
namespace {

class LiveCodeBenchReward final : public Reward {
 public:
  LiveCodeBenchReward(SpecFields spec, Sandbox& sandbox)
      : sandbox_(sandbox), reader_(spec, "livecodebench") {
    const std::string which = spec.choice("tests", "all", {"all", "private", "public"});
    for (const char* list : {"public", "private"}) {
      const std::string packed = spec.text(list, "");
      if (which != list && which != "all") continue;
      if (packed.empty())
        throw Error(fmt::format("{}: its {} tests are missing", spec.where(), list));
      add_tests(list, packed, spec.where());
    }
    seconds_ = spec.number("timeout_ms", 6000, 1, 600'000) / 1000;
    const std::string function = spec.text("func_name", "");
    payload_["func_name"] = function.empty() ? Json(nullptr) : Json(function);
    payload_["mode"] = spec.choice("mode", "emulation", {"emulation", "process"});
    payload_["seconds"] = seconds_;
    spec.finish();
  }

  Verdict judge(std::string_view answer) override {
    if (count_ == 0) return {0, "the problem has no such tests"};
    Json payload = payload_;
    payload["program"] = reader_.read(answer).program;
    // One second per test for programs that do not hear the alarm, as the reference has it.
    const SandboxLimits limits = judging_limits((seconds_ + 1) * static_cast<double>(count_) + 5);
    return judge_with(sandbox_, {"livecodebench", payload_text(payload), limits});
  }

  int parts() const override { return static_cast<int>(count_); }

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

  Sandbox& sandbox_;
  AnswerReader reader_;
  Json payload_;
  double seconds_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Reward> make_livecodebench_reward(const Json& spec, const std::string& where,
                                                  Sandbox& sandbox) {
  return std::make_unique<LiveCodeBenchReward>(SpecFields(spec, where), sandbox);
}

}  // namespace umf
