#include "session/problem.h"

#include "base/error.h"
#include "base/json_fields.h"
#include "reward/reward.h"

namespace umf {
namespace {

// Judges of code look for the program in all that the assistant's turn holds.
void add_prefill(Json& spec, const std::string& prefill) {
  const RewardEntry* reward = find_reward(spec);
  if (!prefill.empty() && reward != nullptr && reward->runs_program) spec["prefill"] = prefill;
}

}  // namespace

Problem parse_problem(const std::string& text, const std::string& where, Json* hidden) {
  return make_problem(parse_json(text, where), where, hidden);
}

Problem make_problem(const Json& json, const std::string& where, Json* hidden) {
  if (!json.is_object()) throw Error(where + ": a problem is a JSON object");
  const JsonFields fields(json, where);
  fields.only({"id", "prompt", "system", "prefill", "raw", "reward", "hidden"},
              "a problem has id, prompt, system, prefill, raw, reward and hidden");
  Problem problem{.id = fields.needed_text("id"),
                  .prompt = fields.needed_text("prompt"),
                  .reward = json.value("reward", Json()),
                  .system = fields.text("system").value_or(""),
                  .prefill = fields.text("prefill").value_or(""),
                  .raw = fields.flag("raw").value_or(false)};
  if (!fields.has("reward"))
    fields.refuse("reward", "is missing, which says how answers are judged");
  if (problem.raw && !(problem.system.empty() && problem.prefill.empty()))
    throw Error(where + ": a raw problem has neither 'system' nor 'prefill': it is no chat");
  Json secret = json.value("hidden", Json());
  for (Json* spec : {&problem.reward, &secret}) add_prefill(*spec, problem.prefill);
  if (hidden != nullptr) *hidden = std::move(secret);
  return problem;
}

}  // namespace umf
