#include "tokenizer/bpe.h"

#include <cassert>
#include <functional>
#include <queue>
#include <utility>

namespace umf {
namespace {

// Up to here a scan over all neighbours beats a heap; beyond, it would be quadratic.
constexpr std::size_t kShortPiece = 32;
constexpr std::uint32_t kNoRank = 0xFFFFFFFF;
constexpr MergeRule kNoRule = {kNoRank, -1};

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, MergeTable merges, bool take_whole)
    : vocabulary_(vocabulary), merges_(std::move(merges)) {
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const auto token = vocabulary.find({&text, 1});
    assert(token);
    byte_tokens_[byte] = *token;
  }
  whole_ = take_whole ? std::vector<std::uint8_t>(vocabulary.size(), 1) : find_whole_tokens();
}

// A token of the vocabulary is not always what the merges make of its text (it may be an added
// token, or lie on a way that other merges cut off), so each is tried once.
std::vector<std::uint8_t> Bpe::find_whole_tokens() const {
  std::vector<std::uint8_t> whole(vocabulary_.size(), 0);
  std::vector<Token> ids;
  for (Token id = 0; id < vocabulary_.size(); ++id) {
    const std::string_view bytes = vocabulary_.bytes(id);
    if (bytes.size() > kShortPiece) continue;  // rare, and long ones may be hostile
    ids.clear();
    merge_short(bytes, ids);
    whole[id] = ids.size() == 1 && ids[0] == id;
  }
  return whole;
}

void Bpe::encode(std::string_view piece, std::vector<Token>& ids) const {
  const auto token = vocabulary_.find(piece);
  if (token && whole_[*token]) {
    ids.push_back(*token);
  } else if (piece.size() <= kShortPiece) {
    merge_short(piece, ids);
  } else {
    merge_long(piece, ids);
  }
}

void Bpe::merge_short(std::string_view piece, std::vector<Token>& ids) const {
  std::array<Token, kShortPiece> tokens;
  std::array<MergeRule, kShortPiece> rules;  // of the pair that starts here
  int count = static_cast<int>(piece.size());
  const auto look_up = [&](int at) {
    const MergeRule* rule = at + 1 < count ? merges_.find(tokens[at], tokens[at + 1]) : nullptr;
    rules[at] = rule != nullptr ? *rule : kNoRule;
  };
  for (int i = 0; i < count; ++i) tokens[i] = byte_token(piece[i]);
  for (int i = 0; i < count; ++i) look_up(i);
  while (count > 1) {
    int best = 0;  // the leftmost of the lowest rank
    for (int i = 1; i + 1 < count; ++i) {
      if (rules[i].rank < rules[best].rank) best = i;
    }
    if (rules[best].rank == kNoRank) break;
    tokens[best] = rules[best].joined;
    --count;
    for (int i = best + 1; i < count; ++i) {
      tokens[i] = tokens[i + 1];
      rules[i] = rules[i + 1];
    }
    look_up(best);
    if (best > 0) look_up(best - 1);
  }
  ids.insert(ids.end(), tokens.begin(), tokens.begin() + count);
}

void Bpe::merge_long(std::string_view piece, std::vector<Token>& ids) const {
  struct Symbol {
    Token token;
    int previous, next;  // -1 at the ends
    MergeRule rule;      // of this symbol and the next; of a symbol that is gone: none
  };
  const int count = static_cast<int>(piece.size());
  std::vector<Symbol> symbols(count);
  const auto look_up = [&](int at) {
    Symbol& symbol = symbols[at];
    const MergeRule* rule =
        symbol.next >= 0 ? merges_.find(symbol.token, symbols[symbol.next].token) : nullptr;
    symbol.rule = rule != nullptr ? *rule : kNoRule;
  };
  // Rank and place in one number: the smallest is the leftmost of the lowest rank. Entries stay
  // when their symbol changes; they are stale then, because no two pairs of tokens have the same
  // rank.
  const auto entry = [&](int at) { return std::uint64_t{symbols[at].rule.rank} << 32 | at; };
  std::vector<std::uint64_t> heap;
  for (int i = 0; i < count; ++i) symbols[i] = {byte_token(piece[i]), i - 1, i + 1, kNoRule};
  symbols.back().next = -1;
  for (int i = 0; i < count; ++i) {
    look_up(i);
    if (symbols[i].rule.rank != kNoRank) heap.push_back(entry(i));
  }
  std::priority_queue queue(std::greater<>(), std::move(heap));
  const auto renew = [&](int at) {
    look_up(at);
    if (symbols[at].rule.rank != kNoRank) queue.push(entry(at));
  };
  while (!queue.empty()) {
    const std::uint64_t best = queue.top();
    queue.pop();
    const int at = static_cast<int>(best & 0xFFFFFFFF);
    if (entry(at) != best) continue;
    Symbol& left = symbols[at];
    Symbol& right = symbols[left.next];
    left.token = left.rule.joined;
    left.next = right.next;
    right.rule = kNoRule;
    if (left.next >= 0) symbols[left.next].previous = at;
    renew(at);
    if (left.previous >= 0) renew(left.previous);
  }
  for (int i = 0; i >= 0; i = symbols[i].next) ids.push_back(symbols[i].token);
}

}  // namespace umf
