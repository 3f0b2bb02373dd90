#include "tokenizer/tokenizer.h"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/files.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/bpe.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/tokenizer_files.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/utf8.h"
#include "tokenizer/vocabulary_builder.h"

namespace umf {
namespace {

// The added tokens that are looked for in the raw text, or those in the normalised text.
AddedTokens select_added(const TokenizerSpec& spec, bool normalized) {
  std::vector<AddedToken> selected;
  std::string storage;
  for (AddedToken token : spec.added) {
    if (token.normalized != normalized) continue;
    if (normalized && spec.nfc) token.content = std::string(to_nfc(token.content, storage));
    selected.push_back(std::move(token));
  }
  return AddedTokens(std::move(selected));
}

std::optional<Token> look_up(const std::unordered_map<std::string, Token>& tokens,
                             std::string_view name) {
  const auto found = tokens.find(std::string(name));
  return found == tokens.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

struct Tokenizer::Impl {
  explicit Impl(const TokenizerSpec& spec);

  // Calls `encode` with each longest stretch of UTF-8; the bytes between them become tokens of one
  // byte.
  template <class Encode>
  std::vector<Token> encode_valid(std::string_view text, Encode&& encode) const;
  void encode_text(std::string_view text, SpecialText mode, std::vector<Token>& ids) const;
  void encode_between(std::string_view text, SpecialText mode, std::vector<Token>& ids) const;
  void encode_pieces(std::string_view text, bool keep_gaps, std::vector<Token>& ids) const;

  TokenTables tables;
  Bpe bpe;
  Pretokenizer pretokenizer;
  AddedTokens raw_added, normalized_added;
  bool nfc, normalize_first;
  std::unordered_map<std::string, Token> added;
  std::unordered_map<std::string, Token> named;
  bool begins_prompts;
};

Tokenizer::Impl::Impl(const TokenizerSpec& spec)
    : tables(build_tables(spec)),
      bpe(tables.vocabulary, std::move(tables.merges), spec.ignore_merges),
      pretokenizer(spec.splits, spec.source),
      raw_added(select_added(spec, false)),
      normalized_added(select_added(spec, true)),
      nfc(spec.nfc),
      normalize_first(spec.normalize_first),
      begins_prompts(spec.begins_prompts) {
  for (const AddedToken& token : spec.added) added.emplace(token.content, token.id);
  for (const auto& [role, text] : spec.named) {
    std::string bytes;
    if (const auto token = look_up(added, text)) {
      named.emplace(role, *token);
    } else if (append_alphabet_bytes(text, bytes)) {
      // Named but not added: it may be an ordinary token.
      if (const auto ordinary = tables.vocabulary.find(bytes)) named.emplace(role, *ordinary);
    }
  }
}

template <class Encode>
std::vector<Token> Tokenizer::Impl::encode_valid(std::string_view text, Encode&& encode) const {
  std::vector<Token> ids;
  if (text.empty()) return ids;
  if (simdjson::validate_utf8(text.data(), text.size())) {
    encode(text, ids);
    return ids;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = valid_utf8_end(text, at);
    if (end > at) encode(text.substr(at, end - at), ids);
    if (end == text.size()) break;
    at = end + utf8_char(text, end).length;
    for (const char byte : text.substr(end, at - end)) ids.push_back(bpe.byte_token(byte));
  }
  return ids;
}

void Tokenizer::Impl::encode_text(std::string_view text, SpecialText mode,
                                  std::vector<Token>& ids) const {
  std::string storage;
  if (normalize_first) text = to_nfc(text, storage);
  for (const auto& part : raw_added.cut(text, mode)) {
    part.token ? ids.push_back(*part.token) : encode_between(part.text, mode, ids);
  }
}

void Tokenizer::Impl::encode_between(std::string_view text, SpecialText mode,
                                     std::vector<Token>& ids) const {
  std::string storage;
  if (nfc && !normalize_first) text = to_nfc(text, storage);
  for (const auto& part : normalized_added.cut(text, mode)) {
    part.token ? ids.push_back(*part.token) : encode_pieces(part.text, false, ids);
  }
}

void Tokenizer::Impl::encode_pieces(std::string_view text, bool keep_gaps,
                                    std::vector<Token>& ids) const {
  for (const std::string_view piece : pretokenizer.cut(text, keep_gaps)) bpe.encode(piece, ids);
}

Tokenizer::Tokenizer(const TokenizerSpec& spec) : impl_(std::make_shared<Impl>(spec)) {}

Tokenizer Tokenizer::load(const Folder& folder) { return Tokenizer(read_tokenizer(folder)); }

Tokenizer Tokenizer::parse(std::string_view tokenizer_json, const std::string& where) {
  return Tokenizer(parse_tokenizer_json(tokenizer_json, where));
}

std::vector<Token> Tokenizer::encode(std::string_view text, SpecialText special) const {
  return impl_->encode_valid(text, [&](std::string_view valid, std::vector<Token>& ids) {
    impl_->encode_text(valid, special, ids);
  });
}

std::vector<Token> Tokenizer::encode_bytes(std::string_view text) const {
  return impl_->encode_valid(text, [&](std::string_view valid, std::vector<Token>& ids) {
    impl_->encode_pieces(valid, true, ids);
  });
}

std::string Tokenizer::decode(std::span<const Token> ids, bool skip_special) const {
  std::string text;
  for (const Token id : ids) {
    if (!skip_special || !is_special(id)) text += bytes(id);
  }
  return text;
}

std::string_view Tokenizer::bytes(Token id) const { return impl_->tables.vocabulary.bytes(id); }

std::optional<Token> Tokenizer::find(std::string_view content) const {
  return look_up(impl_->added, content);
}

bool Tokenizer::is_special(Token id) const {
  return contains(id) && impl_->tables.special[id] != 0;
}

bool Tokenizer::contains(Token id) const { return impl_->tables.vocabulary.contains(id); }

int Tokenizer::size() const { return impl_->tables.vocabulary.size(); }

std::optional<Token> Tokenizer::named(std::string_view role) const {
  return look_up(impl_->named, role);
}

std::optional<Token> Tokenizer::prompt_begin() const {
  return impl_->begins_prompts ? named("bos_token") : std::nullopt;
}

std::vector<std::pair<Token, std::string>> Tokenizer::specials() const {
  std::vector<std::pair<Token, std::string>> specials;
  for (Token id = 0; id < size(); ++id) {
    if (is_special(id)) specials.emplace_back(id, bytes(id));
  }
  return specials;
}

}  // namespace umf
