// Any bytes as the parts of a split GGUF model, each after its length in four bytes: an Error of
// one line, or a model whose tensors lie inside the parts.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "gguf/gguf_files.h"

namespace {

std::vector<umf::GgufPart> cut(std::span<const std::byte> input) {
  std::vector<umf::GgufPart> parts;
  while (input.size() >= 4 && parts.size() < 16) {
    std::uint32_t length;
    std::memcpy(&length, input.data(), 4);
    input = input.subspan(4);
    const std::size_t size = std::min<std::size_t>(length, input.size());
    parts.push_back({"fuzz", umf::MappedFile::in_memory(input.first(size))});
    input = input.subspan(size);
  }
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  auto parts = cut(file);
  if (parts.empty()) return 0;
  try {
    for (const umf::GgufTensor& tensor : umf::join_gguf(std::move(parts)).tensors) {
      const bool inside = tensor.bytes.data() >= file.data() &&
                          tensor.bytes.data() + tensor.bytes.size() <= file.data() + size;
      if (!inside) std::abort();
    }
  } catch (const umf::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
