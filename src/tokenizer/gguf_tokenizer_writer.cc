#include "tokenizer/gguf_tokenizer_writer.h"

#include <fmt/core.h>

#include <algorithm>

#include "tokenizer/gguf_tokenizer.h"

namespace umf {
namespace {

// nullptr where the format has no name for how the tokenizer cuts.
const GgufSplit* find_split(const TokenizerSpec& spec) {
  if (spec.splits.size() != 1) return nullptr;
  const auto splits = gguf_splits();
  const auto found = std::ranges::find(splits, spec.splits.front().pattern, &GgufSplit::pattern);
  return found == splits.end() ? nullptr : &*found;
}

bool arrays_say_all(const TokenizerSpec& spec, const GgufSplit* split) {
  return split != nullptr && split->nfc == spec.nfc && split->take_whole == spec.ignore_merges &&
         std::ranges::none_of(spec.added, [](const AddedToken& token) {
           return token.normalized || token.lstrip || token.rstrip || token.single_word;
         });
}

}  // namespace

void write_gguf_tokenizer(const TokenizerSpec& spec, int rows,
                          const std::optional<std::string>& tokenizer_json, GgufKeyWriter& keys) {
  const GgufSplit* split = find_split(spec);
  keys.text("tokenizer.ggml.model", "gpt2");
  keys.text("tokenizer.ggml.pre", split == nullptr ? "default" : split->name);
  std::vector<std::string> tokens(rows), merges;
  std::vector<std::int32_t> types(rows, static_cast<int>(GgufTokenType::kUnused));
  const auto put = [&](Token id, std::string_view text, GgufTokenType type) {
    tokens[id] = text;
    types[id] = static_cast<int>(type);
  };
  for (int id = 0; id < rows; ++id) tokens[id] = fmt::format("[PAD{}]", id);
  for (const auto& [text, id] : spec.vocab) put(id, text, GgufTokenType::kNormal);
  for (const AddedToken& token : spec.added)
    put(token.id, token.content,
        token.special ? GgufTokenType::kControl : GgufTokenType::kUserDefined);
  for (const auto& [left, right] : spec.merges) merges.push_back(fmt::format("{} {}", left, right));
  keys.texts("tokenizer.ggml.tokens", tokens);
  keys.integers("tokenizer.ggml.token_type", types);
  keys.texts("tokenizer.ggml.merges", merges);
  if (tokenizer_json && !arrays_say_all(spec, split))
    keys.text("tokenizer.huggingface.json", *tokenizer_json);
}

void write_gguf_roles(const std::map<std::string, Token>& roles, GgufKeyWriter& keys) {
  for (const auto& [role, key] : gguf_roles()) {
    const auto token = roles.find(role);
    if (token != roles.end()) keys.natural(key, static_cast<std::uint32_t>(token->second));
  }
}

}  // namespace umf
