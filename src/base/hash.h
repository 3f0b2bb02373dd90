// A checksum for text: tells a damaged or different one, not a forged one.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// FNV-1a, 64 bits, as 16 hexadecimal digits.
std::string checksum(std::string_view bytes);

}  // namespace umf
