// Any bytes as a trace: an Error, or lines that a page can draw.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "report/trace_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto lines = umf::read_trace({reinterpret_cast<const char*>(data), size},
                                       {.window = 8, .actions = 2}, "fuzz");
    for (const auto& line : lines) {
      if (line["path"].size() != line["masks"].size() || line["action"] > 1) std::abort();
    }
  } catch (const umf::Error&) {
  }
  return 0;
}
