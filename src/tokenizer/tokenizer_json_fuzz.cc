// Reads the input as a tokenizer.json; one that loads must encode anything and keep its bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "tokenizer/tokenizer.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void exercise(const umf::Tokenizer& tokenizer, std::string_view text) {
  const auto ids = tokenizer.encode_bytes(text);
  require(tokenizer.decode(ids, false) == text);
  for (const auto mode : {umf::SpecialText::kParse, umf::SpecialText::kPlain}) {
    for (const umf::Token id : tokenizer.encode(text, mode)) {
      require(tokenizer.contains(id));
      // A single byte may be its own special token: then it has no other.
      const bool plain_special = mode == umf::SpecialText::kPlain && tokenizer.is_special(id);
      require(!plain_special || tokenizer.bytes(id).size() == 1);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer = umf::Tokenizer::parse(input, "input");
    for (const std::string_view text :
         {"", "hello  world's 123\r\n\n", "e\xCC\x81 <s>\xE4\xBD\xA0 \xFF\xE2\x82",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}) {
      exercise(tokenizer, text);
    }
    exercise(tokenizer, input.substr(0, 200));
    exercise(tokenizer, input.substr(input.size() - std::min<std::size_t>(input.size(), 200)));
    for (const auto& [id, text] : tokenizer.specials()) {
      require(tokenizer.contains(id));
      if (id < 1000) exercise(tokenizer, text);
    }
  } catch (const umf::Error&) {
    // Refused, or a regex that gave up.
  }
  return 0;
}
