// UTF-8 as it comes: valid stretches, stray bytes, and text made valid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace umf {

struct Utf8Char {
  char32_t code;  // undefined when not valid
  int length;     // bytes of the character; when not valid, of the longest broken beginning of one
  bool valid;
};

// The character that starts at `at`, which must be inside `text`.
Utf8Char utf8_char(std::string_view text, std::size_t at);

// One past the longest valid UTF-8 that starts at `begin`.
std::size_t valid_utf8_end(std::string_view text, std::size_t begin);

// The first bytes of something from a file, as one line of valid UTF-8 for messages.
std::string excerpt(std::string_view bytes, std::size_t limit = 80);

}  // namespace umf
