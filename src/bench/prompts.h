// How a benchmark's problems are put into words: configuration, in assets/prompts.
#pragma once

#include <map>
#include <string>

#include "session/problem.h"

namespace umf {

using PromptFields = std::map<std::string, std::string>;

// One wording. Templates name fields in braces; {{ and }} are braces.
struct PromptStyle {
  std::string name;
  std::string system, user, prefill;
  bool raw = false;     // `user` is text to be continued, not a chat's turn
  std::string extract;  // how the program is found in an answer (reward/code_extraction.h)
  // Where a problem comes with starter code; empty: no difference.
  std::string user_starter;

  // The problem's prompt, system, prefill and raw.
  void apply(const PromptFields& fields, Problem& problem) const;
};

// The style `name` ("": the default) of the benchmark `kind`, from `file` ("": the built-in one).
PromptStyle prompt_style(const std::string& kind, const std::string& name, const std::string& file);

}  // namespace umf
