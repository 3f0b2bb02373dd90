#include "setup/say.h"

#include <cstdio>

namespace umf {

// fmt::print would throw.
void say_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stderr) == text.size()) std::fflush(stderr);
}

}  // namespace umf
