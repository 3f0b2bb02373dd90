#include "tokenizer/byte_alphabet.h"

#include <array>

#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
}

constexpr int kCodes = 0x100 + 68;  // 68 bytes do not stand for themselves

struct Alphabet {
  std::array<int, 256> code_of_byte{};
  std::array<int, kCodes> byte_of_code{};  // -1: not in the alphabet
};

constexpr Alphabet kAlphabet = [] {
  Alphabet alphabet;
  alphabet.byte_of_code.fill(-1);
  int next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const int code = stands_for_itself(byte) ? byte : next++;
    alphabet.code_of_byte[byte] = code;
    alphabet.byte_of_code[code] = byte;
  }
  return alphabet;
}();

}  // namespace

bool append_alphabet_bytes(std::string_view text, std::string& bytes) {
  const std::size_t before = bytes.size();
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_char(text, at);
    const int byte = c.valid && c.code < kCodes ? kAlphabet.byte_of_code[c.code] : -1;
    if (byte < 0) {
      bytes.resize(before);
      return false;
    }
    bytes.push_back(static_cast<char>(byte));
    at += c.length;
  }
  return true;
}

std::string alphabet_char(unsigned char byte) {
  const int code = kAlphabet.code_of_byte[byte];
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace umf
