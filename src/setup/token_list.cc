#include "setup/token_list.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "setup/common_options.h"

namespace umf {

std::vector<Token> parse_token_list(const Json& json, int limit, const std::string& where) {
  if (!json.is_array()) throw Error(where + ": expected an array of token ids");
  std::vector<Token> tokens;
  for (const Json& id : json) {
    // Unsigned excludes negative numbers; anything that does not fit 64 bits was parsed as a float.
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= static_cast<std::uint64_t>(limit)) {
      throw Error(fmt::format("{}: {} is not a token id below {}", where, id.dump(), limit));
    }
    tokens.push_back(id.get<Token>());
  }
  return tokens;
}

std::vector<Token> read_token_list(const std::string& path, int limit) {
  const std::string where = path == "-" ? "stdin" : path;
  return parse_token_list(parse_json(read_input(path), where), limit, where);
}

}  // namespace umf
