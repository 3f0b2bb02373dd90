// Fuzz target: two texts, divided by the first line feed, through every checker.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "math/checker.h"
#include "math/rules_opencompass.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = text.find('\n');
  const std::string_view gold = text.substr(0, middle);
  const std::string_view answer =
      middle == std::string_view::npos ? std::string_view("$1$") : text.substr(middle + 1);
  umf::MathVerifyConfig config;
  config.allow_set_relation_comp = size % 2 == 0;
  config.strict = size % 3 != 0;
  for (const auto checker : {umf::MathChecker::kMathVerify, umf::MathChecker::kHendrycks,
                             umf::MathChecker::kOpenCompass}) {
    umf::compare_math(checker, gold, answer, config);
  }
  umf::opencompass_extract(text);
  return 0;
}
