// {"type": "evalplus", "task_id", "prompt", "entry_point", "canonical_solution", "atol", "base",
//  "plus", "tests": "base" | "plus" | "all", "minimum_seconds", "factor", "extract", "prefill"}:
// HumanEval+ and MBPP+. base and plus are the JSON texts of the lists of inputs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/answer_reader.h"
#include "reward/expected_outputs.h"
#include "reward/tester.h"

namespace umf {
namespace {

class EvalPlusReward final : public Reward {
 public:
  EvalPlusReward(SpecFields spec, const JudgeTools& tools)
      : tools_(tools),
        sandbox_(sandbox_of(tools, spec.where())),
        task_id_(spec.needed_text("task_id")),
        prompt_(spec.needed_text("prompt")),
        entry_point_(spec.needed_text("entry_point")),
        reader_(spec, "program", {.prompt = prompt_, .mbpp = task_id_.starts_with("Mbpp/")}) {
    const std::string source = prompt_ + spec.needed_text("canonical_solution");
    const std::string which = spec.choice("tests", "all", {"all", "base", "plus"});
    for (const char* name : {"base", "plus"}) {
      const std::string inputs = spec.text(name).value_or("");
      if (!inputs.empty() && (which == name || which == "all"))
        runs_.push_back({name, {task_id_, entry_point_, source, inputs}});
      else if (which == name)
        throw Error(fmt::format("{}: its {} inputs are missing", spec.where(), name));
    }
    minimum_seconds_ = spec.number("minimum_seconds", 0.001, 600).value_or(4);
    factor_ = spec.number("factor", 0, 1000).value_or(4);
    atol_ = parse_json(spec.text("atol").value_or("0"), spec.where() + ": 'atol'");
    if (!atol_.is_number()) throw Error(spec.where() + ": 'atol' must be a number");
    spec.finish();
  }

  Verdict judge(std::string_view answer) override {
    const Extraction extraction = reader_.read(answer);
    try {
      check();
    } catch (const Error& problem) {
      return {std::numeric_limits<double>::quiet_NaN(), problem.what()};
    }
    Json payload = payload_;
    payload["program"] = extraction.program;
    payload["sanitise"] = extraction.sanitise;
    return judge_with(sandbox_, {"evalplus", payload_text(payload), limits_});
  }

  bool cheap() const override { return true; }
  // The canonical solution must give outputs to expect.
  void check() override {
    std::call_once(prepared_, [this] { prepare(); });
  }

 private:
  struct Run {
    std::string name;
    ReferenceRun reference;
  };

  // The expected outputs, at the first answer: many problems are never asked about.
  void prepare() {
    const ExpectedOutputsCache cache = ExpectedOutputsCache::of_user();
    Json runs = Json::array();
    double seconds = 0;
    for (const Run& run : runs_) {
      const ExpectedOutputs expected = cache.get(run.reference, sandbox_, tools_.most_judging_ms);
      double total = 0;
      for (const double spent : expected.seconds)
        total += std::max(minimum_seconds_, factor_ * spent);
      seconds += std::min(60.0, total) + 3;
      runs.push_back({{"name", run.name},
                      {"inputs", run.reference.inputs},
                      {"expected", expected.values},
                      {"seconds", expected.seconds}});
    }
    payload_ = {{"task_id", task_id_},    {"entry_point", entry_point_},
                {"atol", atol_},          {"minimum_seconds", minimum_seconds_},
                {"factor", factor_},      {"every_test", tools_.every_test},
                {"runs", std::move(runs)}};
    limits_ = judging_limits({seconds, minimum_seconds_}, tools_);
  }

  JudgeTools tools_;
  Sandbox& sandbox_;
  std::string task_id_, prompt_, entry_point_;
  AnswerReader reader_;
  std::vector<Run> runs_;
  double minimum_seconds_ = 0, factor_ = 0;
  Json atol_;

  std::once_flag prepared_;
  Json payload_;  // all but the program
  SandboxLimits limits_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked&, const std::string& where,
                             const JudgeTools& tools) {
  return std::make_unique<EvalPlusReward>(SpecFields(spec, where), tools);
}

}  // namespace

const RewardEntry kEvalPlusReward = {.type = "evalplus",
                                     .make = make,
                                     .runs_program = true,
                                     .visible_text = "base",
                                     .hidden_has_all = true,
                                     .hidden_tests = "plus"};

}  // namespace umf
