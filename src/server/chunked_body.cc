#include "server/chunked_body.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "server/api_error.h"
#include "server/request_head.h"

namespace umf {
namespace {

constexpr std::size_t kLineBytes = 1024, kTrailers = 16, kPieceBytes = 64 << 10;
constexpr std::size_t kSizeDigits = 16;  // more would not fit any number

[[noreturn]] void refuse() {
  throw ApiError(400, "the body's chunks are not framed as HTTP has it", "", "malformed_request");
}

// Without its end, CR LF; nothing where the source ends before.
std::optional<std::string> next_line(const ByteSource& source) {
  std::string line;
  for (char c = 0; source(&c, 1) == 1;) {
    line += c;
    if (c == '\n') {
      if (!line.ends_with("\r\n")) refuse();
      line.resize(line.size() - 2);
      return line;
    }
    if (line.size() > kLineBytes) refuse();
  }
  return std::nullopt;
}

// Hexadecimal digits and nothing else, as "4c" or "4c;name=value".
std::size_t size_in(const std::string& line) {
  const auto is_extension_character = [](char c) { return c == '\t' || (c >= ' ' && c < '\x7F'); };
  const std::size_t digits = std::min(line.find(';'), line.size());
  if (digits == 0 || digits > kSizeDigits ||
      !std::ranges::all_of(std::string_view(line).substr(digits), is_extension_character))
    refuse();
  std::size_t size = 0;
  const auto [end, failure] = std::from_chars(line.data(), line.data() + digits, size, 16);
  if (failure != std::errc() || end != line.data() + digits) refuse();
  return size;
}

BodyEnd skip_trailers(const ByteSource& source) {
  for (std::size_t i = 0; i <= kTrailers; ++i) {
    const auto line = next_line(source);
    if (!line) return BodyEnd::kEarly;
    if (line->empty()) return BodyEnd::kWhole;
    if (!is_header_line(*line)) refuse();
  }
  refuse();
}

}  // namespace

BodyEnd read_bytes(const ByteSource& source, std::size_t size, std::string& body) {
  std::string piece(std::min(size, kPieceBytes), '\0');
  while (size > 0) {
    const ssize_t got = source(piece.data(), std::min(size, piece.size()));
    if (got <= 0) return BodyEnd::kEarly;
    body.append(piece, 0, static_cast<std::size_t>(got));
    size -= static_cast<std::size_t>(got);
  }
  return BodyEnd::kWhole;
}

BodyEnd read_chunks(const ByteSource& source, std::size_t limit, std::string& body) {
  for (;;) {
    const auto line = next_line(source);
    if (!line) return BodyEnd::kEarly;
    const std::size_t size = size_in(*line);
    if (size == 0) return skip_trailers(source);
    if (size > limit - body.size()) return BodyEnd::kTooLarge;
    if (read_bytes(source, size, body) != BodyEnd::kWhole) return BodyEnd::kEarly;
    const auto behind = next_line(source);
    if (!behind) return BodyEnd::kEarly;
    if (!behind->empty()) refuse();
  }
}

}  // namespace umf
