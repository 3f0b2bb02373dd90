#include "tokenizer/normalizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/error.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

using Mapped = std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)>;

std::string nfc(std::string_view text) {
  utf8proc_uint8_t* raw = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &raw, options);
  const Mapped mapped(raw, std::free);
  if (length == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (length < 0) throw Error(std::string("cannot normalise a text: ") + utf8proc_errmsg(length));
  return {reinterpret_cast<const char*>(mapped.get()), static_cast<std::size_t>(length)};
}

std::string utf8_of(char32_t code) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

constexpr char32_t kInertLimit = 0x30000;  // beyond lies next to nothing that is ever written

// Characters that stay as they are under NFC and never join the one before. A text of nothing else
// is in form C, which spares nearly every text the walk through utf8proc.
bool is_inert(char32_t code) {
  if (code < 0x300) return true;
  if (code >= 0x1100 && code < 0x1200) return false;  // Hangul parts, joined by arithmetic
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code));
  // In utf8proc's tables the upper half of comb_index marks characters that join the one before.
  constexpr int kSecond = 0x8000, kNone = 0xFFFF;
  if (property->combining_class != 0) return false;
  if (property->comb_index >= kSecond && property->comb_index != kNone) return false;
  if (property->decomp_seqindex == kNone || property->decomp_type != 0) return true;
  const std::string text = utf8_of(code);
  return nfc(text) == text;
}

const std::bitset<kInertLimit>& inert_characters() {
  static const auto table = [] {
    auto inert = std::make_unique<std::bitset<kInertLimit>>();
    for (char32_t code = 0; code < kInertLimit; ++code) {
      if (code < 0xD800 || code > 0xDFFF) inert->set(code, is_inert(code));
    }
    return inert;
  }();
  return *table;
}

bool is_surely_nfc(std::string_view text) {
  const auto is_ascii = [](unsigned char byte) { return byte < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return true;
  const auto& inert = inert_characters();
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_char(text, at);
    if (c.code >= kInertLimit || !inert[c.code]) return false;
    at += c.length;
  }
  return true;
}

}  // namespace

std::string_view to_nfc(std::string_view text, std::string& storage) {
  if (is_surely_nfc(text)) return text;
  storage = nfc(text);
  return storage;
}

}  // namespace umf
