// LiveCodeBench's test lists, which may be packed: base64, zlib, a Python pickle of one string.
#pragma once

#include <string>
#include <string_view>

namespace umf {

std::string decode_base64(std::string_view text, const std::string& where);

// The one string of a pickle that holds nothing else. Every opcode beyond what that takes is
// refused: a pickle is a program, and nothing of it is run.
std::string unpickle_string(std::string_view bytes, const std::string& where);

// The JSON list of tests that `text` is, or holds packed. Throws Error where it is neither, or
// where it unpacks to more than `limit_bytes`.
std::string unpack_tests(const std::string& text, const std::string& where,
                         std::size_t limit_bytes = std::size_t{1} << 29);

}  // namespace umf
