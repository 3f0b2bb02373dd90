// Any bytes as a GGUF file: an Error of one line, or keys that can be read and tensors that lie
// inside the file.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "gguf/metadata.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_all(const umf::GgufMetadata& metadata, const umf::GgufKeys& keys) {
  for (const auto& [key, value] : keys) {
    const auto* array = std::get_if<umf::GgufArray>(&value);
    if (array == nullptr) continue;
    try {
      if (array->kind == umf::GgufKind::kString)
        require(metadata.texts(key, UINT64_MAX)->size() == array->count);
      else
        require(metadata.integers(key, UINT64_MAX)->size() == array->count);
    } catch (const umf::Error&) {
      // Fractions and flags are no integers.
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const umf::Gguf gguf = umf::parse_gguf(file, "fuzz");
    for (const umf::GgufTensor& tensor : gguf.tensors) {
      require(tensor.bytes.data() >= file.data());
      require(tensor.bytes.data() + tensor.bytes.size() <= file.data() + size);
    }
    read_all({"fuzz", gguf.keys}, gguf.keys);
  } catch (const umf::Error& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
