// The 256 characters that byte-level vocabularies write bytes with (GPT-2's table): printable
// Latin-1 stands for itself, every other byte for a character from U+0100 on.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// Appends the bytes that `text` spells to `bytes`. False, and nothing appended, when a character of
// `text` is not in the alphabet.
bool append_alphabet_bytes(std::string_view text, std::string& bytes);

// The character that stands for `byte`, as UTF-8.
std::string alphabet_char(unsigned char byte);

}  // namespace umf
