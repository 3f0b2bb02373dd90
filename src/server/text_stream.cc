#include "server/text_stream.h"

#include <algorithm>

#include "tokenizer/tokenizer.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

// How many of the bytes are whole characters, or broken in a way that more bytes cannot mend.
std::size_t decided(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const Utf8Char c = utf8_char(bytes, at);
    if (!c.valid && at + c.length == bytes.size()) break;
    at += c.length;
  }
  return at;
}

// The longest end of `text` that begins `stop`, shorter than all of it. Both are valid UTF-8, so
// that no character is cut.
std::size_t begun(std::string_view text, std::string_view stop) {
  for (std::size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (text.ends_with(stop.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

std::string TextStream::push(std::string_view bytes) {
  if (stopped_) return "";
  bytes_ += bytes;
  const std::size_t end = decided(bytes_);
  text_ += to_valid_utf8(std::string_view(bytes_).substr(0, end));
  bytes_.erase(0, end);
  return take(/*last=*/false);
}

std::string TextStream::finish() {
  if (stopped_) return "";
  text_ += to_valid_utf8(bytes_);
  bytes_.clear();
  return take(/*last=*/true);
}

std::string TextStream::take(bool last) {
  std::size_t end = text_.size(), held = 0;
  for (const std::string& stop : stop_) {
    const std::size_t at = text_.find(stop);
    if (at != std::string::npos) {
      stopped_ = true;
      end = std::min(end, at);
    }
    if (!last) held = std::max(held, begun(text_, stop));
  }
  if (!stopped_) end -= held;
  std::string piece = text_.substr(0, end);
  text_.erase(0, end);
  return piece;
}

}  // namespace umf
