// Tests that are Python code.
// {"type": "humaneval", "task_id", "prompt", "entry_point", "test", "timeout_ms", "extract",
//  "prefill"}: HumanEval's check().
// {"type": "mbpp", "tests": [asserts], "setup", "run": "each" | "together", "timeout_ms",
// "extract",
//  "prefill"}: MBPP's asserts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/answer_reader.h"
#include "reward/tester.h"

namespace umf {
namespace {

class AssertsReward final : public Reward {
 public:
  AssertsReward(std::string where, AnswerReader reader, Json payload, const JudgeTools& tools)
      : where_(std::move(where)),
        sandbox_(sandbox_of(tools, where_)),
        reader_(std::move(reader)),
        payload_(std::move(payload)) {
    payload_["every_test"] = tools.every_test;
    const double seconds = payload_["seconds"];
    limits_ = judging_limits({seconds * static_cast<double>(parts()), seconds}, tools);
  }

  void check() override { check_tests(sandbox_, "asserts", payload_, limits_, where_); }

  Verdict judge(std::string_view answer) override {
    const Extraction extraction = reader_.read(answer);
    Json payload = payload_;
    payload["program"] = extraction.program;
    payload["sanitise"] = extraction.sanitise;
    return judge_with(sandbox_, {"asserts", payload_text(payload), limits_});
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

double seconds_of(const SpecFields& spec) {
  return spec.number("timeout_ms", 1, 600'000).value_or(3000) / 1000;
}

std::vector<std::string> asserts_of(const SpecFields& spec) {
  std::vector<std::string> asserts;
  for (const Json& test : spec.needed_list("tests")) {
    if (!test.is_string()) throw Error(spec.where() + ": 'tests' must hold strings");
    asserts.push_back(test);
  }
  return asserts;
}

std::unique_ptr<Reward> make_humaneval(const Json& spec, const Asked&, const std::string& where,
                                       const JudgeTools& tools) {
  SpecFields fields(spec, where);
  fields.text("task_id");
  const std::string prompt = fields.needed_text("prompt"),
                    entry_point = fields.needed_text("entry_point");
  AnswerReader reader(fields, "program", {.prompt = prompt});
  // The prompt's helpers are the tests' own, too; only the entry point is the program's.
  const Json tests = {
      {{"name", "check"},
       {"code", fmt::format("{}\ncheck({})", fields.needed_text("test"), entry_point)}}};
  Json payload = {{"before", prompt + "\n"},
                  {"entry_point", entry_point},
                  {"seconds", seconds_of(fields)},
                  {"setup", ""},
                  {"own", prompt},
                  {"expose", {entry_point}},
                  {"tests", tests}};
  fields.finish();
  return std::make_unique<AssertsReward>(fields.where(), std::move(reader), std::move(payload),
                                         tools);
}

std::unique_ptr<Reward> make_mbpp(const Json& spec, const Asked&, const std::string& where,
                                  const JudgeTools& tools) {
  SpecFields fields(spec, where);
  AnswerReader reader(fields, "program");
  const std::vector<std::string> asserts = asserts_of(fields);
  Json tests = Json::array();
  if (fields.choice("run", "together", {"each", "together"}) == "each") {
    for (std::size_t i = 0; i < asserts.size(); ++i)
      tests.push_back({{"name", fmt::format("assert {}", i + 1)}, {"code", asserts[i]}});
  } else {
    tests.push_back({{"name", "asserts"}, {"code", fmt::format("{}", fmt::join(asserts, "\n"))}});
  }
  Json payload = {{"before", ""},
                  {"entry_point", ""},
                  {"seconds", seconds_of(fields)},
                  {"setup", fields.text("setup").value_or("")},
                  {"own", ""},
                  {"expose", nullptr},
                  {"tests", tests}};
  fields.finish();
  return std::make_unique<AssertsReward>(fields.where(), std::move(reader), std::move(payload),
                                         tools);
}

}  // namespace

const RewardEntry kHumanEvalReward = {
    .type = "humaneval", .make = make_humaneval, .runs_program = true};
const RewardEntry kMbppReward = {.type = "mbpp",
                                 .make = make_mbpp,
                                 .runs_program = true,
                                 .visible_list = "tests",
                                 .hidden_has_all = true};

}  // namespace umf
