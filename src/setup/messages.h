// Conversations that a user gives as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "tokenizer/chat_prompt.h"

namespace umf {

// From a list of {"role","content"}; `where` names it in errors. Throws Error.
std::vector<Message> parse_messages(const Json& list, const std::string& where);

}  // namespace umf
