// A check whether a line is as it was written.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// FNV-1a, 64 bits, in 16 hexadecimal digits: tells a damaged line from a whole one.
std::string checksum(std::string_view bytes);

}  // namespace umf
