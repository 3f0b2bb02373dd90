// The one exception type: a mistake of the user or a broken environment, never a bug.
#pragma once

#include <stdexcept>
#include <string>

namespace umf {

// The message says what was wrong, where, and what to do; main() prints it after "error: ".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace umf
