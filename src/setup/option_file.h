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

// Whether a configuration may be called so: files are, and models of a server.
bool is_plain_name(const std::string& name);
// Its "name", or `otherwise` where it has none. Throws Error unless that is a plain name.
std::string plain_name(const Json& options, const std::string& otherwise, const std::string& where);

}  // namespace umf
