#include "math/boxed.h"

#include <algorithm>

#include "math/text.h"

namespace umf {

std::optional<std::string> last_boxed(std::string_view text) {
  std::size_t at = text.rfind("\\boxed");
  std::size_t command = 6;
  if (at == std::string_view::npos) {
    at = text.rfind("\\fbox");
    command = 5;
  }
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t after = at + command;
  if (after < text.size() && text[after] == ' ') {
    const std::size_t end = std::min(text.find('$', after), text.size());
    return std::string(text.substr(after + 1, end - after - 1));
  }
  const std::size_t open = text.find('{', after);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t end = after_closing_brace(text, open);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(open + 1, end - open - 2));
}

}  // namespace umf
