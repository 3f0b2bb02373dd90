// Bytes made small, and made text: what pages carry.
#pragma once

#include <string>
#include <string_view>

namespace umf {

// A gzip stream, the same for the same bytes.
std::string gzip(std::string_view bytes);

// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace umf
