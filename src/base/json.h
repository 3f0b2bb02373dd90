// JSON from untrusted files: bounded depth, unique keys, and errors that say where.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace umf {

using Json = nlohmann::json;

// Parses `text`; `where` names its source in errors. Throws Error on bad syntax, bytes that are not
// UTF-8, a key given twice, or nesting deeper than 64.
Json parse_json(std::string_view text, const std::string& where);

}  // namespace umf
