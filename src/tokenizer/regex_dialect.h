// The regexes of tokenizer files are written for Oniguruma; we run PCRE2.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// `pattern` (valid UTF-8) in PCRE2's dialect with the meaning it has for Oniguruma. What the two
// read differently and cannot be rewritten throws Error: a tokenizer that is almost right is worse
// than none.
std::string to_pcre2(std::string_view pattern);

}  // namespace umf
