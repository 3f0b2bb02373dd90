#include "bench/prompts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json_fields.h"
#include "base/nearest.h"
#include "bench/embedded_prompts.h"

namespace umf {
namespace {

std::string filled(const std::string& text, const PromptFields& fields, const std::string& style) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      out += c;
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      out += c;
      ++at;
    } else {
      const std::size_t end = text.find('}', at);
      const auto field = c == '{' && end != std::string::npos
                             ? fields.find(text.substr(at + 1, end - at - 1))
                             : fields.end();
      if (field == fields.end()) {
        std::vector<std::string> names;
        for (const auto& [name, value] : fields) names.push_back("{" + name + "}");
        throw Error(fmt::format(
            "prompt style '{}': '{}' is no field of this benchmark; it has {} (braces are "
            "written {{{{ and }}}})",
            style, text.substr(at, 20), fmt::join(names, ", ")));
      }
      out += field->second;
      at = end;
    }
  }
  return out;
}

class StyleFields final : public JsonFields {
 public:
  StyleFields(const Json& style, const std::string& where, std::string name)
      : JsonFields(style, where), name_(std::move(name)) {}
  [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override {
    throw Error(fmt::format("{}: '{}' of style '{}' {}", where(), key, name_, wish));
  }

 private:
  std::string name_;
};

PromptStyle parse_style(const std::string& name, const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error(fmt::format("{}: style '{}' must be an object", where, name));
  const StyleFields fields(json, where, name);
  fields.only({"system", "user", "raw", "user_starter", "raw_starter", "prefill", "extract"},
              "a style has system, user or raw, user_starter or raw_starter, prefill and extract");
  const auto text = [&](const char* key) { return fields.text(key).value_or(""); };
  const bool raw = fields.has("raw");
  const PromptStyle style{
      .name = name,
      .system = text("system"),
      .user = text(raw ? "raw" : "user"),
      .prefill = text("prefill"),
      .raw = raw,
      .extract = text("extract"),
      .user_starter = fields.text("user_starter").value_or(text("raw_starter"))};
  if (fields.has("user") == raw)
    throw Error(fmt::format("{}: style '{}' needs either 'user' or 'raw'", where, name));
  if (raw && (!style.system.empty() || !style.prefill.empty()))
    throw Error(fmt::format("{}: style '{}' is raw and has no chat turns", where, name));
  return style;
}

Json parse_prompts(const std::string& text, const std::string& kind, const std::string& where) {
  Json json = parse_json(text, where);
  if (!json.is_object() || json.value("kind", Json()) != kind || !json.contains("styles") ||
      !json["styles"].is_object() || !json.contains("default") || !json["default"].is_string()) {
    throw Error(fmt::format(
        R"({}: prompts for this data set are {{"kind": "{}", "default": NAME, "styles": {{...}}}})",
        where, kind));
  }
  return json;
}

Json built_in(const std::string& kind) {
  for (const EmbeddedPrompts& file : kEmbeddedPrompts) {
    if (file.kind == kind)
      return parse_prompts(std::string(file.json), kind, "assets/prompts/" + kind + ".json");
  }
  throw Error(fmt::format("there are no prompts for data sets of kind '{}'", kind));
}

}  // namespace

void PromptStyle::apply(const PromptFields& fields, Problem& problem) const {
  const auto starter = fields.find("starter_code");
  const bool starts = starter != fields.end() && !starter->second.empty() && !user_starter.empty();
  problem.prompt = filled(starts ? user_starter : user, fields, name);
  problem.system = filled(system, fields, name);
  problem.prefill = filled(prefill, fields, name);
  problem.raw = raw;
}

PromptStyle prompt_style(const std::string& kind, const std::string& name,
                         const std::string& file) {
  const Json json = file.empty() ? built_in(kind) : parse_prompts(read_stream(file), kind, file);
  const std::string wanted = name.empty() ? json["default"].get<std::string>() : name;
  const Json& styles = json["styles"];
  if (!styles.contains(wanted)) {
    std::vector<std::string> names;
    for (const auto& [known, value] : styles.items()) names.push_back(known);
    throw Error(fmt::format("unknown prompt style '{}' for data sets of kind '{}'; there are {}",
                            wanted, kind, fmt::join(names, ", ")));
  }
  return parse_style(wanted, styles[wanted], file.empty() ? kind + " prompts" : file);
}

}  // namespace umf
