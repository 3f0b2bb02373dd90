// {"type": "json", "schema": {...}}: is the answer JSON, and does it fit the schema (JSON Schema)?
// Half the reward is for being JSON, or for how far it is; the other half for the share of the
// schema's checks that hold. 1 only where all is right.
#include "reward/json_answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "reward/json_schema.h"
#include "reward/reward.h"

namespace umf {
namespace {

constexpr std::size_t kMostValues = 1 << 16;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// What stands between ``` and ```, without the name of the language.
std::optional<std::string_view> fenced(std::string_view text) {
  const std::size_t fence = text.find("```");
  if (fence == text.npos) return std::nullopt;
  const std::size_t begin = text.find('\n', fence);
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = std::min(text.find("```", begin), text.size());
  return text.substr(begin, end - begin);
}

std::optional<std::string_view> bracketed(std::string_view text) {
  const std::size_t begin = text.find_first_of("{[");
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = text.rfind(text[begin] == '{' ? '}' : ']');
  if (end == text.npos || end < begin) return std::nullopt;
  return text.substr(begin, end + 1 - begin);
}

// Only how far the text is JSON.
struct Syntax final : Json::json_sax_t {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    end = position;
    return false;
  }
  std::size_t end = 0;  // where it stops being so
};

bool is_json(std::string_view text) {
  Syntax syntax;
  return Json::sax_parse(text.begin(), text.end(), &syntax);
}

class JsonReward final : public Reward {
 public:
  explicit JsonReward(std::optional<JsonSchema> schema) : schema_(std::move(schema)) {}

  Verdict judge(std::string_view answer) override {
    const std::string text = json_part(answer);
    Syntax syntax;
    if (!Json::sax_parse(text.begin(), text.end(), &syntax)) {
      const double size = static_cast<double>(text.size()) + 1;
      const double begun = static_cast<double>(std::max<std::size_t>(syntax.end, 1) - 1) / size;
      return {0.5 * std::min(begun, 0.99), fmt::format("no JSON from character {} on", syntax.end)};
    }
    try {
      const Json value = parse_json(text, "the answer", kMostValues);
      const JsonSchema::Fit fit = schema_ ? schema_->fit(value) : JsonSchema::Fit();
      if (fit.failed == 0) return {1, ""};
      return {1 - 0.5 * fit.failed / fit.checks, fit.first};
    } catch (const Error& mistake) {  // a key given twice, or nesting without end
      return {0.5, mistake.what()};
    }
  }
  bool cheap() const override { return true; }

 private:
  const std::optional<JsonSchema> schema_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked&, const std::string& where,
                             const JudgeTools&) {
  for (const auto& [key, value] : spec.items()) {
    if (key != "type" && key != "schema")
      throw Error(
          fmt::format("{}: a json reward has 'schema' and nothing else, not '{}'", where, key));
  }
  if (!spec.contains("schema")) return std::make_unique<JsonReward>(std::nullopt);
  return std::make_unique<JsonReward>(JsonSchema(spec["schema"], where));
}

}  // namespace

std::string json_part(std::string_view answer) {
  const std::string_view whole = trimmed(answer);
  if (is_json(whole)) return std::string(whole);
  for (const auto part : {fenced(whole), bracketed(whole)}) {
    if (part && is_json(trimmed(*part))) return std::string(trimmed(*part));
  }
  return std::string(whole);
}

const RewardEntry kJsonReward = {.type = "json", .make = make, .harmless = true};

}  // namespace umf
