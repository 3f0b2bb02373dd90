// {"type": "math-answer", "answer": TEXT, "checker": NAME, "config": {...}}: is the answer in the
// model's text the gold answer? `checker` is math-verify (the default), hendrycks or opencompass;
// `config` is for math-verify alone.
#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "math/boxed.h"
#include "math/checker.h"
#include "math/math_verify.h"
#include "math/rules_hendrycks.h"
#include "math/rules_opencompass.h"
#include "reward/reward.h"
#include "reward/sympy_algebra.h"

namespace umf {
namespace {

constexpr std::size_t kShownBytes = 200;

std::string shown(std::string text) {
  if (text.size() <= kShownBytes) return text;
  std::size_t end = kShownBytes;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // whole characters
  return text.substr(0, end) + "...";
}

Verdict verdict_of(bool equal, const std::string& expected, const std::string& read) {
  if (equal) return {1, ""};
  if (read.empty()) return {0, fmt::format("no answer found; expected {}", shown(expected))};
  return {0, fmt::format("expected {}, read {}", shown(expected), shown(read))};
}

// The data sets give bare answers; math-verify looks for mathematics between dollars or in boxes.
std::string as_mathematics(const std::string& answer) {
  const bool marked =
      answer.find('$') != std::string::npos || answer.find("\\boxed") != std::string::npos ||
      answer.find("\\(") != std::string::npos || answer.find("\\[") != std::string::npos;
  if (marked && find_answer(answer).value) return answer;
  const bool inside_dollars = answer.find_first_of("$\n") == std::string::npos;
  return fmt::format("{}{}{}", inside_dollars ? "$" : "\\boxed{", answer,
                     inside_dollars ? "$" : "}");
}

class MathVerifyReward final : public Reward {
 public:
  MathVerifyReward(const std::string& answer, const MathVerifyConfig& config,
                   std::unique_ptr<ComputerAlgebra> algebra, const std::string& where)
      : config_(config), algebra_(std::move(algebra)) {
    gold_ = find_answer(as_mathematics(answer), config_);
    if (gold_.empty()) {
      throw Error(fmt::format("{}: nothing mathematical in the answer '{}'", where, shown(answer)));
    }
  }

  Verdict judge(std::string_view answer) override {
    const MathAnswer read = find_answer(answer, config_);
    try {
      const MathVerdict verdict = verify_answer(gold_, read, config_, algebra_.get());
      return verdict_of(verdict.equal, gold_.reading(), read.reading());
    } catch (const Error& problem) {  // of the sandbox: it says nothing about the answer
      return {std::numeric_limits<double>::quiet_NaN(), problem.what()};
    }
  }

 private:
  MathVerifyConfig config_;
  std::unique_ptr<ComputerAlgebra> algebra_;
  MathAnswer gold_;
};

class RuleReward final : public Reward {
 public:
  RuleReward(MathChecker checker, std::string gold) : checker_(checker), gold_(std::move(gold)) {}

  Verdict judge(std::string_view answer) override {
    if (checker_ == MathChecker::kOpenCompass) {
      const std::string read = opencompass_extract(answer);
      return verdict_of(opencompass_equal(gold_, read), gold_, read);
    }
    const auto box = last_boxed(answer);
    if (!box) return {0, fmt::format("nothing boxed; expected {}", shown(gold_))};
    return verdict_of(hendrycks_equal(gold_, *box), gold_, *box);
  }

 private:
  MathChecker checker_;
  std::string gold_;
};

constexpr const char* kHas = "a math-answer reward has 'answer', 'checker' and 'config'";

class MathAnswerFields final : public JsonFields {
 public:
  using JsonFields::JsonFields;
  [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override {
    throw Error(fmt::format("{}: {}; '{}' {}", where(), kHas, key, wish));
  }
};

std::unique_ptr<Reward> make(const Json& spec, const Asked&, const std::string& where,
                             const JudgeTools& tools) {
  const MathAnswerFields fields(spec, where);
  fields.only({"type", "answer", "checker", "config"}, kHas);
  const auto answer = fields.text("answer");
  const std::string name = fields.text("checker").value_or("math-verify");
  const Json* config = fields.find("config");
  if (!answer) throw Error(where + ": a math-answer reward needs 'answer'");
  const MathChecker checker = math_checker(name, where);
  if (checker != MathChecker::kMathVerify) {
    if (config != nullptr) throw Error(where + ": 'config' is for math-verify alone");
    return std::make_unique<RuleReward>(checker, *answer);
  }
  auto algebra = tools.sandbox ? make_sympy_algebra(tools.sandbox) : nullptr;
  return std::make_unique<MathVerifyReward>(
      *answer, parse_math_verify_config(config == nullptr ? Json() : *config, where),
      std::move(algebra), where);
}

}  // namespace

const RewardEntry kMathAnswerReward = {.type = "math-answer", .make = make, .harmless = true};

}  // namespace umf
