// The head of an HTTP/1 request, read strictly: where two readers could understand two different
// things, or disagree about where the request ends, it is refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umf {

// Where the body ends.
struct BodyFraming {
  bool chunked = false;
  std::optional<std::size_t> length;  // nothing where none was said; the largest of all for more
  bool expects_body() const { return chunked || length.value_or(0) > 0; }
};

struct RequestHead {
  std::string method, target, version;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  BodyFraming body;

  // As it was sent, without the blanks around it; empty where there is none. `name` in lower case.
  std::string_view value(std::string_view name) const;
};

// `text` is the request line and the headers, up to and with the empty line. Throws ApiError 400.
RequestHead parse_head(std::string_view text);

// Whether `line`, without its end, is "name: value" as HTTP has it.
bool is_header_line(std::string_view line);

}  // namespace umf
