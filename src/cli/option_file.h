// Options that stand in a JSON object instead of on a command line.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace umf {

// In the words of the command line: keys are options without dashes, lists of models and actions
// repeat them, other lists are joined with commas. "name" and "about", a remark for people, are
// left out. Throws Error with `where` before the message.
std::vector<std::string> words_of(const Json& options, const std::string& where);

}  // namespace umf
