// Reads the input as the files of a tokenizer beside each other, a zero byte between two; where
// they are one it must encode anything, keep its bytes and know the tokens that it names.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/folder.h"
#include "tokenizer/tokenizer.h"

namespace {

constexpr std::array kNames = {"tokenizer_config.json",
                               "special_tokens_map.json",
                               "added_tokens.json",
                               "merges.txt",
                               "vocab.json",
                               "tokenizer.json"};

void require(bool holds) {
  if (!holds) std::abort();
}

// What is empty is not there.
std::vector<umf::BuiltInFile> cut(std::string_view input) {
  std::vector<umf::BuiltInFile> files;
  for (const char* name : kNames) {
    const std::string_view text = input.substr(0, input.find('\0'));
    input.remove_prefix(std::min(text.size() + 1, input.size()));
    if (!text.empty()) files.push_back({name, std::as_bytes(std::span(text))});
  }
  return files;
}

void exercise(const umf::Tokenizer& tokenizer, std::string_view text) {
  require(tokenizer.decode(tokenizer.encode_bytes(text), false) == text);
  for (const umf::Token id : tokenizer.encode(text, umf::SpecialText::kParse))
    require(tokenizer.contains(id));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = cut({reinterpret_cast<const char*>(data), size});
  try {
    const umf::Tokenizer tokenizer = umf::Tokenizer::load(umf::BuiltInFolder{"fuzz", files});
    exercise(tokenizer, "hello  world's 123\r\n\n<s>");
    for (const char* role : {"mask_token", "eos_token", "bos_token", "pad_token"}) {
      const auto named = tokenizer.named(role);
      require(!named || tokenizer.contains(*named));
    }
    for (const auto& [id, text] : tokenizer.specials()) {
      if (id < 1000) exercise(tokenizer, text);
    }
  } catch (const umf::Error& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
