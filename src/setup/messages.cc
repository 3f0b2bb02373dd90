#include "setup/messages.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {

std::vector<Message> parse_messages(const Json& list, const std::string& where) {
  std::vector<Message> messages;
  if (!list.is_array()) throw Error(where + ": expected an array of {\"role\",\"content\"}");
  for (const Json& entry : list) {
    if (!entry.is_object() || entry.size() != 2 || !entry.contains("role") ||
        !entry["role"].is_string() || !entry.contains("content") || !entry["content"].is_string()) {
      throw Error(where +
                  ": a message is {\"role\": string, \"content\": string} and nothing else");
    }
    messages.push_back({entry["role"], entry["content"]});
  }
  return messages;
}

}  // namespace umf
