// What a shell offers while a command is typed.
#pragma once

#include <string>
#include <vector>

#include "setup/options.h"

namespace umf {

// A word that may be meant, and what it is.
struct Suggestion {
  std::string word, about;
  bool operator==(const Suggestion&) const = default;
};

// For the last of `words`, which may be empty; `words` are what stands behind "umf". None where a
// file is wanted, or anything.
std::vector<Suggestion> completions(const std::vector<CommandFacts>& commands,
                                    std::vector<std::string> words);

// For bash, zsh or fish: asks `umf complete`. Throws Error for another shell.
std::string completion_script(const std::string& shell);

}  // namespace umf
