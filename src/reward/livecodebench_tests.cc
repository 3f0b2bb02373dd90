#include "reward/livecodebench_tests.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/inflate.h"

namespace umf {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> base64_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}

// Bytes from the front of a pickle.
class PickleReader {
 public:
  PickleReader(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {}

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) fail("it ends too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  unsigned char byte() { return static_cast<unsigned char>(take(1).front()); }
  // Little-endian.
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: a pickle that is not one string: {}", where_, what));
  }

 private:
  std::string_view rest_;
  const std::string& where_;
};

}  // namespace

std::string decode_base64(std::string_view text, const std::string& where) {
  static constexpr std::array<std::int8_t, 256> kValues = base64_values();
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::size_t padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  if ((text.size() + padding) % 4 != 0) throw Error(where + ": base64 text of a wrong length");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) throw Error(where + ": a character that base64 does not have");
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits);
    }
  }
  return bytes;
}

std::string unpickle_string(std::string_view bytes, const std::string& where) {
  constexpr unsigned char kProtocol = 0x80, kFrame = 0x95, kShortText = 0x8C, kText = 0x58,
                          kLongText = 0x8D, kMemoize = 0x94, kStop = 0x2E;
  PickleReader reader(bytes, where);
  std::string_view text;
  bool have = false;
  for (int step = 0;; ++step) {
    const unsigned char opcode = reader.byte();
    const bool is_text = opcode == kShortText || opcode == kText || opcode == kLongText;
    if (is_text && have) reader.fail("two values");
    if (opcode == kProtocol && step == 0) {
      if (const int version = reader.byte(); version < 2 || version > 5)
        reader.fail(fmt::format("protocol {}", version));
    } else if (opcode == kFrame && step == 1) {
      reader.take(8);  // the frame's length, which says nothing new
    } else if (is_text) {
      text = reader.take(reader.number(opcode == kShortText ? 1 : opcode == kText ? 4 : 8));
      have = true;
    } else if (opcode == kStop && have) {
      break;
    } else if (opcode != kMemoize || !have) {
      reader.fail(fmt::format("opcode 0x{:02x}", opcode));
    }
  }
  if (!reader.at_end()) reader.fail("bytes after its end");
  return std::string(text);
}

std::string unpack_tests(const std::string& text, const std::string& where,
                         std::size_t limit_bytes) {
  // base64 has no bracket, so the first character tells the two forms apart.
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '[') return text;
  return unpickle_string(inflate_zlib(decode_base64(text, where), limit_bytes, where), where);
}

}  // namespace umf
