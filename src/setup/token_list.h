// Token ids from a JSON file that the user gives.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/token.h"

namespace umf {

// The ids of a JSON array, each from 0 to `limit` - 1; `where` names it in errors.
std::vector<Token> parse_token_list(const Json& json, int limit, const std::string& where);

// The same from a file, or from stdin for "-".
std::vector<Token> read_token_list(const std::string& path, int limit);

}  // namespace umf
