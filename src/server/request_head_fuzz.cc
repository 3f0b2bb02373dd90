// Any bytes as a request on a connection: an ApiError that can be sent, or a head that reads the
// same again once it is written down, and a body within its limit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "server/api_error.h"
#include "server/chunked_body.h"
#include "server/request_head.h"

namespace {

constexpr std::size_t kLimit = 1000;

std::string written(const umf::RequestHead& head) {
  std::string text = head.method + " " + head.target + " " + head.version + "\r\n";
  for (const auto& [name, value] : head.headers) text += name + ": " + value + "\r\n";
  return text + "\r\n";
}

void read_body(const umf::BodyFraming& framing, std::string_view text) {
  const auto source = [&](char* to, std::size_t size) {
    const std::size_t count = text.copy(to, size);
    text.remove_prefix(count);
    return static_cast<ssize_t>(count);
  };
  std::string body;
  if (framing.chunked)
    umf::read_chunks(source, kLimit, body);
  else
    umf::read_bytes(source, std::min(framing.length.value_or(0), kLimit), body);
  if (body.size() > kLimit) std::abort();
}

void attempt(std::string_view text) {
  const std::size_t end =
      std::min(text.find("\r\n\r\n"), text.size() - std::min<std::size_t>(text.size(), 4));
  const umf::RequestHead head = umf::parse_head(text.substr(0, end + 4));
  if (umf::parse_head(written(head)).headers != head.headers) std::abort();
  read_body(head.body, text.substr(std::min(end + 4, text.size())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    attempt({reinterpret_cast<const char*>(data), size});
  } catch (const umf::ApiError& error) {
    if (error.status() != 400) std::abort();
  }
  return 0;
}
