// Reads the input as the umf.json of a checkpoint; what is accepted is within its limits.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "model/advice.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const umf::Advice advice =
        umf::parse_advice(std::string(reinterpret_cast<const char*>(data), size), "umf.json");
    if (advice.window < 0) std::abort();
  } catch (const umf::Error&) {
    // Refused with a reason.
  }
  return 0;
}
