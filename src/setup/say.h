// Words for people on stderr, which nothing depends on: where they cannot be written, as with a log
// on a full disk, the work goes on without them.
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace umf {

void say_text(std::string_view text);

template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say_text(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace umf
