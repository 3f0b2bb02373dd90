// Cuts a template into tokens, with the white space rules of trim_blocks and lstrip_blocks.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace umf::jinja {

// What went wrong while a template runs; the renderer adds the place and throws Error.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "chat template, line 3, column 14: what"; `offset` is a byte of `source`.
Error error_at(std::string_view source, std::size_t offset, std::string_view what);

struct Lexeme {
  enum class Kind {
    kData,
    kPrintBegin,  // {{
    kPrintEnd,
    kBlockBegin,  // {%
    kBlockEnd,
    kName,
    kString,   // text: what the literal stands for
    kInteger,  // text: digits, without underscores
    kFloat,
    kOperator,
    kEnd,
  };
  Kind kind;
  std::string text;
  std::size_t at;  // offset in the source
};

// One kind of line end, and none after the last line: what offsets refer to.
std::string normalize_source(std::string_view source);

// `source` is normalised. Comments and raw tags are gone from the result; it ends with kEnd.
std::vector<Lexeme> lex(std::string_view source);

}  // namespace umf::jinja
