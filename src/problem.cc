#include "problem.h"

#include <fmt/core.h>

#include "base/error.h"

namespace umf {

Problem parse_problem(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object()) throw Error(where + ": a problem is a JSON object");
  for (const auto& [key, value] : json.items()) {
    if (key != "id" && key != "prompt" && key != "reward" && key != "hidden") {
      throw Error(fmt::format(
          "{}: a problem has id, prompt, reward and hidden; '{}' is not understood", where, key));
    }
  }
  for (const char* key : {"id", "prompt"}) {
    if (!json.contains(key) || !json[key].is_string())
      throw Error(fmt::format("{}: '{}' must be a string", where, key));
  }
  if (!json.contains("reward"))
    throw Error(where + ": 'reward' is missing, which says how answers are judged");
  return {json["id"], json["prompt"], json["reward"]};
}

}  // namespace umf
