// Byte-level BPE as the published checkpoints define it: text to ids and back, bytes preserved.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder.h"
#include "base/token.h"

namespace umf {

// Whether the text of a special token in the input becomes that token. Added tokens that are not
// special are always recognised, as in the reference libraries.
enum class SpecialText { kParse, kPlain };

struct TokenizerSpec;

// Immutable after loading; every method may be called from several threads.
class Tokenizer {
 public:
  // Throws Error naming what of the files contradicts what.
  explicit Tokenizer(const TokenizerSpec& spec);
  // Of the files in a folder (tokenizer_files.h).
  static Tokenizer load(const Folder& folder);
  // A tokenizer.json in memory, without the files beside it: for tests. `where` names it in errors.
  static Tokenizer parse(std::string_view tokenizer_json, const std::string& where);

  // No begin or end token is added. `text` may hold any bytes: a stretch that is not UTF-8 becomes
  // single-byte tokens.
  std::vector<Token> encode(std::string_view text, SpecialText special) const;
  // As encode(kPlain) without normalisation and without any added token: the bytes of the result
  // are the bytes of `text`, always.
  std::vector<Token> encode_bytes(std::string_view text) const;

  // The joined bytes; may be invalid UTF-8. An id without a token has no bytes.
  std::string decode(std::span<const Token> ids, bool skip_special) const;
  std::string_view bytes(Token id) const;

  std::optional<Token> find(std::string_view content) const;  // an added token by its text
  bool is_special(Token id) const;
  bool contains(Token id) const;
  int size() const;  // one past the highest id

  // tokenizer_config.json's named special tokens ("mask_token", "eos_token", "pad_token", ...).
  std::optional<Token> named(std::string_view role) const;
  // What every chat prompt begins with, whether its template says so or not.
  std::optional<Token> prompt_begin() const;
  // The special tokens as (id, text), by id.
  std::vector<std::pair<Token, std::string>> specials() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// Invalid UTF-8 replaced by U+FFFD, for output that must be text.
std::string to_valid_utf8(std::string_view bytes);

}  // namespace umf
