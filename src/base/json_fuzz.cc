// Any bytes as JSON: what is accepted is what the library's own parser reads, and what is refused
// is wrong there, too, or beyond our limits.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace {

constexpr std::size_t kMostValues = 1000;

bool beyond_our_limits(std::string_view reason) {
  for (const char* limit : {"is given twice", "nested deeper than", "has more than 1000 values"}) {
    if (reason.find(limit) != reason.npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const umf::Json expected = umf::Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    if (umf::parse_json(text, "x", kMostValues) != expected) std::abort();
  } catch (const umf::Error& refused) {
    if (!expected.is_discarded() && !beyond_our_limits(refused.what())) std::abort();
  }
  return 0;
}
