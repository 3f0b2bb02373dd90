// umf math-equal: are two mathematical answers the same? JSON Lines in, the same lines out.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "cli/common.h"
#include "math/checker.h"
#include "reward/sympy_algebra.h"
#include "sandbox/sandbox.h"

namespace umf {
namespace {

struct MathEqualOptions {
  std::string checker = "math-verify";
  bool explain = false;
};

struct Line {
  nlohmann::ordered_json fields;  // as they came, in order
  MathVerifyConfig config;
};

Line parse_line(const std::string& text, const std::string& where) {
  const Json checked = parse_json(text, where);
  for (const char* key : {"gold", "pred"}) {
    if (!checked.is_object() || !checked.contains(key) || !checked[key].is_string()) {
      throw Error(fmt::format("{}: expected an object with the strings 'gold' and 'pred'", where));
    }
  }
  const Json config = checked.value("config", Json());
  return {nlohmann::ordered_json::parse(text), parse_math_verify_config(config, where)};
}

int math_equal(const MathEqualOptions& options) {
  const MathChecker checker = math_checker(options.checker, "--checker");
  std::unique_ptr<Sandbox> sandbox;
  const auto algebra = make_sympy_algebra([&sandbox]() -> Sandbox& {
    if (!sandbox) sandbox = make_sandbox();
    return *sandbox;
  });
  watch_for_interrupts();
  std::istringstream input(read_stdin());
  std::string text;
  for (int number = 1; std::getline(input, text); ++number) {
    if (text.empty()) continue;
    Line line = parse_line(text, fmt::format("stdin line {}", number));
    const std::string gold = line.fields["gold"], answer = line.fields["pred"];
    const MathComparison comparison =
        compare_math(checker, gold, answer, line.config, algebra.get());
    line.fields["equal"] = comparison.equal;
    if (options.explain) {
      line.fields["explain"] = {{"gold", comparison.gold_reading},
                                {"pred", comparison.answer_reading},
                                {"decided_by", comparison.decided_by}};
    }
    print_in_order(line.fields);
    if (interrupted()) return kExitInterrupted;
  }
  return 0;
}

}  // namespace

Command math_equal_command() {
  return {"math-equal", "are two mathematical answers the same? JSON Lines on stdin",
          [](OptionSet& options) {
            auto o = std::make_shared<MathEqualOptions>();
            options.value("checker", o->checker, "math-verify, hendrycks or opencompass");
            options.flag("explain", o->explain, "add both readings and what decided");
            options.footer(
                "Each line is {\"gold\": TEXT, \"pred\": TEXT}, with an optional \"config\" for\n"
                "math-verify: targets, boxed_match_priority, float_rounding, numeric_precision,\n"
                "strict, allow_set_relation_comp. The line comes back with \"equal\".\n"
                "Example: echo '{\"gold\": \"$1/2$\", \"pred\": \"$0.5$\"}' | umf math-equal");
            return [o] { return math_equal(*o); };
          }};
}

}  // namespace umf
