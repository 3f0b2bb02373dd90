#include "tokenizer/vocabulary_builder.h"

#include <fmt/core.h>

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr std::size_t kAddedLengthLimit = 4096;  // bytes; one longer would make matching slow

class Builder {
 public:
  explicit Builder(const TokenizerSpec& spec)
      : spec_(spec), vocabulary_(spec.vocab.size() + spec.added.size(), spec.vocab.size() * 8) {}

  TokenTables run() {
    check_added();
    add_vocab();
    require_bytes();
    add_added();
    MergeTable merges = resolve_merges();
    std::vector<std::uint8_t> special = special_flags();
    return {std::move(vocabulary_), std::move(merges), std::move(special)};
  }

 private:
  [[noreturn]] void fail_merge(const std::string& what) const {
    throw Error(fmt::format(
        "{}: {}", spec_.merges_source.empty() ? spec_.source : spec_.merges_source, what));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", spec_.source, what));
  }

  void check_added() {
    std::unordered_set<std::string_view> contents;
    for (const AddedToken& token : spec_.added) {
      const std::string name = fmt::format("added token '{}'", excerpt(token.content));
      if (token.content.empty()) fail(fmt::format("the added token with id {} is empty", token.id));
      if (token.content.size() > kAddedLengthLimit) {
        fail(fmt::format("{} is longer than {} bytes", name, kAddedLengthLimit));
      }
      if (!contents.insert(token.content).second) fail(name + " is given twice");
      const auto [other, fresh] = added_by_id_.emplace(token.id, &token);
      if (!fresh) {
        fail(fmt::format("{} has the id {} of '{}'", name, token.id,
                         excerpt(other->second->content)));
      }
    }
  }

  void add_vocab() {
    std::string bytes;
    for (const auto& [text, id] : spec_.vocab) {
      bytes.clear();
      const auto added = added_by_id_.find(id);
      const bool is_added = added != added_by_id_.end();
      if (is_added && added->second->content != text) {
        fail(fmt::format("id {} is the token '{}' and the added token '{}'", id, excerpt(text),
                         excerpt(added->second->content)));
      }
      const bool in_alphabet = append_alphabet_bytes(text, bytes);
      if (!in_alphabet && !is_added) {
        fail(fmt::format("token '{}' (id {}) is not written in the byte alphabet", excerpt(text),
                         id));
      }
      if (text.empty()) fail(fmt::format("the token with id {} is empty", id));
      if (!vocabulary_.add(id, in_alphabet ? bytes : text)) {
        fail(fmt::format("id {} of token '{}' is given twice", id, excerpt(text)));
      }
      if (!in_alphabet) continue;
      if (vocabulary_.find(bytes)) fail(fmt::format("token '{}' is given twice", excerpt(text)));
      // Plain text must not turn into a special token because the vocabulary spells it, too. A
      // single byte has no other token.
      if (is_added && added->second->special && bytes.size() > 1) continue;
      vocabulary_.make_findable(id);
    }
  }

  void require_bytes() const {
    for (int byte = 0; byte < 256; ++byte) {
      const char text = static_cast<char>(byte);
      if (vocabulary_.find({&text, 1})) continue;
      fail(fmt::format(
          "the vocabulary has no token for byte 0x{:02X} ('{}'), so it is not byte-level", byte,
          alphabet_char(static_cast<unsigned char>(byte))));
    }
  }

  void add_added() {
    std::string bytes;
    for (const AddedToken& token : spec_.added) {
      if (vocabulary_.contains(token.id)) continue;  // the vocabulary has it under this id
      bytes.clear();
      const auto same =
          append_alphabet_bytes(token.content, bytes) ? vocabulary_.find(bytes) : std::nullopt;
      if (same) {
        fail(fmt::format("added token '{}' has the id {}, but {} in the vocabulary",
                         excerpt(token.content), token.id, *same));
      }
      (void)vocabulary_.add(token.id, token.content);
    }
  }

  MergeTable resolve_merges() const {
    MergeTable merges(spec_.merges.size());
    std::uint32_t rank = 0;
    std::string joined;
    for (const auto& [left, right] : spec_.merges) {
      const auto refuse = [&, left = left, right = right](std::string_view text) {
        fail_merge(fmt::format(
            "merge {} ('{}' with '{}'): '{}' is not an ordinary token of the vocabulary", rank,
            excerpt(left), excerpt(right), excerpt(text)));
      };
      joined.clear();
      if (!append_alphabet_bytes(left, joined)) refuse(left);
      const std::size_t middle = joined.size();
      if (!append_alphabet_bytes(right, joined)) refuse(right);
      const std::string_view all = joined;
      const auto left_token = vocabulary_.find(all.substr(0, middle));
      const auto right_token = vocabulary_.find(all.substr(middle));
      const auto joined_token = vocabulary_.find(all);
      if (!left_token) refuse(left);
      if (!right_token) refuse(right);
      if (!joined_token) refuse(std::string(left) + std::string(right));
      if (!merges.insert(*left_token, *right_token, {rank, *joined_token})) {
        fail_merge(fmt::format("merge {} ('{}' with '{}') is given twice", rank, excerpt(left),
                               excerpt(right)));
      }
      ++rank;
    }
    return merges;
  }

  std::vector<std::uint8_t> special_flags() const {
    std::vector<std::uint8_t> special(vocabulary_.size(), 0);
    for (const AddedToken& token : spec_.added) special[token.id] = token.special;
    return special;
  }

  const TokenizerSpec& spec_;
  Vocabulary vocabulary_;
  std::unordered_map<Token, const AddedToken*> added_by_id_;
};

}  // namespace

TokenTables build_tables(const TokenizerSpec& spec) { return Builder(spec).run(); }

}  // namespace umf
