// Values as text: Python's str() and repr(), and JSON as json.dumps() writes it.
#pragma once

#include <string>

#include "jinja/value.h"

namespace umf::jinja {

Text to_text(Heap& heap, Value value);  // str()
Text repr(Heap& heap, Value value);
std::string format_float(double value);  // Python's shortest text, always with a point or exponent

struct JsonStyle {
  bool ascii = false;  // escape everything else
  bool sort_keys = false;
  bool indented = false;
  Text indent;                // one level, when indented
  Text item_separator{", "};  // without its newline when indented
  Text key_separator{": "};
};
Text to_json(Heap& heap, Value value, const JsonStyle& style);

}  // namespace umf::jinja
