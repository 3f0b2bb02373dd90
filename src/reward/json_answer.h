// JSON in an answer.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// What a program would take for the JSON of an answer: all of it, or what stands in its first fence
// (```), or from the first bracket to the last one of its kind; the first of these that is JSON.
// The answer without the blanks around it where none is.
std::string json_part(std::string_view answer);

}  // namespace umf
