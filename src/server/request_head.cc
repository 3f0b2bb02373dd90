#include "server/request_head.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "server/api_error.h"

namespace umf {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
// More than one of these would let two readers choose differently.
constexpr std::string_view kOnlyOnce[] = {"host", "content-length", "transfer-encoding",
                                          "content-type", "authorization"};

[[noreturn]] void refuse(const std::string& message) {
  throw ApiError(400, message, "", "malformed_request");
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Methods and names of headers consist of these (RFC 9110, 5.6.2).
bool is_token_character(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

bool is_visible(char c) { return c > ' ' && c < '\x7F'; }

// Tabs, blanks, visible characters, and bytes beyond ASCII, which are opaque.
bool is_value_character(char c) {
  return c == '\t' || c == ' ' || is_visible(c) || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// Takes a line off the text. Ends of lines are CR LF; either alone is refused with its line.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find(kLineEnd);
  if (end == text.npos) refuse("the head of the request does not end");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + kLineEnd.size());
  return line;
}

void read_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = std::min(line.find(' '), line.size());
  const std::size_t second = std::min(line.find(' ', first + 1), line.size());
  head.method = line.substr(0, first);
  head.target = line.substr(std::min(first + 1, second), second - std::min(first + 1, second));
  head.version = line.substr(std::min(second + 1, line.size()));
  if (!is_token(head.method) || head.target.empty() ||
      !std::ranges::all_of(head.target, is_visible))
    refuse("the first line of the request must be 'METHOD /path HTTP/1.1'");
  if (head.version != "HTTP/1.1" && head.version != "HTTP/1.0")
    refuse("this server speaks HTTP/1.1 and HTTP/1.0");
}

void read_header(std::string_view line, RequestHead& head) {
  if (!is_header_line(line)) refuse("a header must be 'name: value', on a line of its own");
  const std::size_t colon = line.find(':');
  head.headers.emplace_back(in_lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
}

std::size_t count(const RequestHead& head, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      head.headers, [&](const auto& header) { return header.first == name; }));
}

// No sign, no blanks, no zeros in front, which some readers take for octal.
std::size_t length_of(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_digit) || (text[0] == '0' && text.size() > 1))
    refuse("the Content-Length is not a number");
  std::size_t length = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), length);
  return failure == std::errc() ? length : std::numeric_limits<std::size_t>::max();
}

BodyFraming framing_of(const RequestHead& head) {
  const bool has_length = count(head, "content-length") > 0;
  if (count(head, "transfer-encoding") > 0) {
    if (has_length || head.version == "HTTP/1.0" ||
        in_lower_case(head.value("transfer-encoding")) != "chunked")
      refuse("a body has a Content-Length or, in HTTP/1.1, 'Transfer-Encoding: chunked'");
    return {.chunked = true, .length = {}};
  }
  if (!has_length) return {};
  return {.chunked = false, .length = length_of(head.value("content-length"))};
}

}  // namespace

std::string_view RequestHead::value(std::string_view name) const {
  for (const auto& [key, text] : headers) {
    if (key == name) return text;
  }
  return {};
}

// A blank before the name would be the continuation of the line before; one before the colon would
// make another name of it.
bool is_header_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != line.npos && is_token(line.substr(0, colon)) &&
         std::ranges::all_of(line.substr(colon + 1), is_value_character);
}

RequestHead parse_head(std::string_view text) {
  RequestHead head;
  read_request_line(next_line(text), head);
  for (std::string_view line; !(line = next_line(text)).empty();) read_header(line, head);
  if (!text.empty()) refuse("the head of the request goes on behind its end");
  for (const std::string_view name : kOnlyOnce) {
    if (count(head, name) > 1) refuse(fmt::format("the header '{}' is given twice", name));
  }
  if (head.version == "HTTP/1.1" && count(head, "host") == 0)
    refuse("a request over HTTP/1.1 has a Host");
  head.body = framing_of(head);
  return head;
}

}  // namespace umf
