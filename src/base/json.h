// JSON from untrusted files: bounded depth, bounded size in memory, unique keys, and errors that
// say where.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace umf {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// Of one document: far more than the largest table of weights has. A small value takes forty times
// its text in memory, so that a bound on bytes alone would be none.
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 22;

// Parses `text`, in time that grows as its length; `where` names its source in errors. Throws Error
// on bad syntax, bytes that are not UTF-8, a key given twice, nesting deeper than 64, or more
// values (objects, lists and what they hold) than `most_values`.
Json parse_json(std::string_view text, const std::string& where,
                std::size_t most_values = kMostJsonValues);

}  // namespace umf
