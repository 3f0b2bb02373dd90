// Any bytes as a safetensors file: an Error of one line, or tensors that lie inside it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    for (const auto& [name, tensor] : umf::parse_safetensors(file, "fuzz")) {
      const bool inside =
          tensor.bytes.empty() || (tensor.bytes.data() >= file.data() &&
                                   tensor.bytes.data() + tensor.bytes.size() <= file.data() + size);
      if (!inside) std::abort();
    }
  } catch (const umf::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
