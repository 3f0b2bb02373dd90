// Reads the input as a GGUF file's tokenizer; one that loads must encode anything and keep its
// bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "tokenizer/gguf_tokenizer.h"
#include "tokenizer/tokenizer.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void exercise(const umf::Tokenizer& tokenizer, std::string_view text) {
  require(tokenizer.decode(tokenizer.encode_bytes(text), false) == text);
  for (const umf::Token id : tokenizer.encode(text, umf::SpecialText::kParse))
    require(tokenizer.contains(id));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = std::as_bytes(std::span(data, size));
    const umf::GgufMetadata metadata("fuzz", umf::parse_gguf(file, "fuzz").keys);
    const umf::Tokenizer tokenizer(umf::read_gguf_tokenizer(metadata));
    exercise(tokenizer, "hello  world's 123\r\n\n[PAD7]");
    exercise(tokenizer, input.substr(0, 200));
    for (const auto& [id, text] : tokenizer.specials()) {
      if (id < 1000) exercise(tokenizer, text);
    }
  } catch (const umf::Error& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
