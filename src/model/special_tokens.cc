#include "model/special_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace umf {
namespace {

bool is_special(const Tokenizer& tokenizer, Token id) {
  return tokenizer.contains(id) && tokenizer.is_special(id);
}

Token find_mask(const TokenSources& from, const TokenTexts& family, int vocabulary) {
  constexpr const char* kKey = "mask_token_id";
  const std::optional<Token> configured = from.config.token(kKey);
  const std::optional<Token> generating = from.generation.token(kKey);
  std::optional<Token> known = from.tokenizer.named("mask_token");
  if (!known && !family.mask.empty()) known = from.tokenizer.find(family.mask);
  if (configured && known && *configured != *known) {
    from.config.fail(
        kKey, fmt::format("is {}, but the tokenizer's mask_token is {}", *configured, *known));
  }
  std::optional<Token> mask = configured ? configured : known ? known : generating;
  if (!mask && family.mask_id && is_special(from.tokenizer, *family.mask_id)) mask = family.mask_id;
  if (!mask) from.config.fail(kKey, "is missing, and the tokenizer names no mask token");
  if (*mask >= vocabulary || !from.tokenizer.contains(*mask)) {
    from.config.fail(kKey, fmt::format("is {}, which the tokenizer does not know", *mask));
  }
  if (generating && *generating != *mask) {
    from.generation.fail(kKey,
                         fmt::format("is {}, but the model's mask is {}", *generating, *mask));
  }
  return *mask;
}

// The ends that generation_config.json adds. Such files are copied from model to model: an id that
// is an ordinary word here would cut answers short.
std::vector<Token> further_ends(const TokenSources& from, const SpecialTokens& tokens,
                                std::vector<std::string>& warnings) {
  std::vector<Token> ends;
  for (const Token id : from.generation.tokens("eos_token_id")) {
    if (std::ranges::find(tokens.ends, id) != tokens.ends.end()) continue;
    if (is_special(from.tokenizer, id) && id != tokens.mask) {
      ends.push_back(id);
      continue;
    }
    const std::string text =
        from.tokenizer.contains(id) ? Json(to_valid_utf8(from.tokenizer.bytes(id))).dump() : "";
    warnings.push_back(
        fmt::format("{}: key 'eos_token_id' names {}, which is {}; it does not end an answer",
                    from.generation.where(), id,
                    text.empty()        ? "no token of the tokenizer"
                    : id == tokens.mask ? "the mask"
                                        : fmt::format("the ordinary token {}", text)));
  }
  return ends;
}

std::optional<Token> find_padding(const TokenSources& from, std::vector<std::string>& warnings) {
  constexpr const char* kKey = "pad_token_id";
  std::optional<Token> padding = from.tokenizer.named("pad_token");
  if (!padding) padding = from.config.token(kKey);
  const std::optional<Token> generating = from.generation.token(kKey);
  if (padding && generating && *generating != *padding)
    warnings.push_back(fmt::format("{}: key '{}' is {}, but the padding is {}, which is used",
                                   from.generation.where(), kKey, *generating, *padding));
  if (padding || !generating) return padding;
  return is_special(from.tokenizer, *generating) ? generating : std::nullopt;
}

}  // namespace

SpecialTokens resolve_tokens(const TokenSources& from, const Family& family, int vocabulary,
                             std::vector<std::string>& warnings) {
  const auto& [config, generation, tokenizer] = from;
  SpecialTokens tokens;
  tokens.mask = find_mask(from, family.tokens, vocabulary);
  std::vector<Token> configured = config.tokens("eos_token_id");
  const std::optional<Token> named = tokenizer.named("eos_token");
  if (configured.empty() && named) configured = {*named};
  for (const Token id : generation.tokens("eos_token_id")) {
    if (configured.empty() && is_special(tokenizer, id)) configured = {id};
  }
  if (configured.empty())
    config.fail("eos_token_id", "is missing, and the tokenizer names no eos_token");
  tokens.end_of_text = configured.front();
  tokens.padding = find_padding(from, warnings);
  if (!family.tokens.end_of_turn.empty()) {
    tokens.end_of_turn = tokenizer.find(family.tokens.end_of_turn);
  }
  tokens.ends = configured;
  for (const auto& token : {tokens.padding, tokens.end_of_turn, named}) {
    if (token) tokens.ends.push_back(*token);
  }
  for (const std::string& text : family.tokens.other_ends) {
    if (const auto token = tokenizer.find(text)) tokens.ends.push_back(*token);
  }
  for (const Token token : further_ends(from, tokens, warnings)) tokens.ends.push_back(token);
  for (const Token token : tokens.ends) {
    if (token >= vocabulary)
      config.fail("vocab_size", fmt::format("is {}, too small for token {}", vocabulary, token));
  }
  std::sort(tokens.ends.begin(), tokens.ends.end());
  tokens.ends.erase(std::unique(tokens.ends.begin(), tokens.ends.end()), tokens.ends.end());
  return tokens;
}

}  // namespace umf
