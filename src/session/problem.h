// What is asked: a plain value.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "tokenizer/chat_prompt.h"

namespace umf {

struct Problem {
  std::string id;           // "sum-of-evens"
  std::string prompt;       // the user's message
  Json reward;              // how answers are judged during the search; hidden tests never get here
  std::string system = {};  // the system message, where there is one
  std::vector<Message> earlier = {};  // of the conversation, before the prompt
  std::string prefill = {};  // how the assistant's turn begins: given to the model, not generated
  bool raw = false;          // no chat: the prompt is text to be continued, for base models
};

// Reads a problem file. Throws Error naming the file and the key. `hidden`, where given, gets the
// object of that name, or null.
Problem parse_problem(const std::string& text, const std::string& where, Json* hidden = nullptr);
// The same from its object.
Problem make_problem(const Json& json, const std::string& where, Json* hidden = nullptr);

}  // namespace umf
