// Work that ended because somebody asked for it.
#pragma once

#include <exception>

namespace umf {

// Neither a mistake nor a failure, so it is no Error: there is no result, and nothing may be
// recorded as one.
class Cancelled final : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

}  // namespace umf
