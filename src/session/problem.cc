#include "session/problem.h"

#include <fmt/core.h>

#include "base/error.h"

namespace umf {
namespace {

// Judges of code look for the program in all that the assistant's turn holds.
void add_prefill(Json& spec, const std::string& prefill) {
  if (!prefill.empty() && spec.is_object() && spec.value("type", Json()) == "python-tests")
    spec["prefill"] = prefill;
}

}  // namespace

Problem parse_problem(const std::string& text, const std::string& where, Json* hidden) {
  return make_problem(parse_json(text, where), where, hidden);
}

Problem make_problem(const Json& json, const std::string& where, Json* hidden) {
  if (!json.is_object()) throw Error(where + ": a problem is a JSON object");
  for (const auto& [key, value] : json.items()) {
    const bool text_key = key == "id" || key == "prompt" || key == "system" || key == "prefill";
    if (!text_key && key != "reward" && key != "hidden" && key != "raw") {
      throw Error(fmt::format(
          "{}: a problem has id, prompt, system, prefill, raw, reward and hidden; '{}' is not "
          "understood",
          where, key));
    }
    if (text_key && !value.is_string())
      throw Error(fmt::format("{}: '{}' must be a string", where, key));
  }
  for (const char* key : {"id", "prompt"}) {
    if (!json.contains(key)) throw Error(fmt::format("{}: '{}' must be a string", where, key));
  }
  if (!json.contains("reward"))
    throw Error(where + ": 'reward' is missing, which says how answers are judged");
  if (json.contains("raw") && !json["raw"].is_boolean())
    throw Error(where + ": 'raw' must be true or false");
  Problem problem{.id = json["id"],
                  .prompt = json["prompt"],
                  .reward = json["reward"],
                  .system = json.value("system", ""),
                  .prefill = json.value("prefill", ""),
                  .raw = json.value("raw", false)};
  if (problem.raw && !(problem.system.empty() && problem.prefill.empty()))
    throw Error(where + ": a raw problem has neither 'system' nor 'prefill': it is no chat");
  Json secret = json.value("hidden", Json());
  for (Json* spec : {&problem.reward, &secret}) add_prefill(*spec, problem.prefill);
  if (hidden != nullptr) *hidden = std::move(secret);
  return problem;
}

}  // namespace umf
