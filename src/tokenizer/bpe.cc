#include "tokenizer/bpe.h"

#include <cassert>
#include <queue>
#include <tuple>

namespace umf {
namespace {

// Up to here a scan over all neighbours beats a heap; beyond, it would be quadratic.
constexpr std::size_t kShortPiece = 32;
constexpr std::uint32_t kNoRank = 0xFFFFFFFF;

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges, bool take_whole)
    : vocabulary_(vocabulary), rules_(merges.size()) {
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const auto token = vocabulary.find({&text, 1});
    assert(token);
    byte_tokens_[byte] = *token;
  }
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Merge& merge = merges[rank];
    (void)rules_.insert(merge.left, merge.right, {static_cast<std::uint32_t>(rank), merge.joined});
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
  std::array<Rule, kShortPiece> rules;  // of the pair that starts here
  int count = static_cast<int>(piece.size());
  const auto look_up = [&](int at) {
    const Rule* rule = at + 1 < count ? rules_.find(tokens[at], tokens[at + 1]) : nullptr;
    rules[at] = rule != nullptr ? *rule : Rule{kNoRank, -1};
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
    int previous, next;  // -1 at the ends; a symbol that was joined to its left has token -1
  };
  struct Candidate {
    std::uint32_t rank;
    int left, right;                // symbols
    Token left_token, right_token;  // as they were when this was found: it is stale if they changed
    Token joined;
    bool operator>(const Candidate& other) const {
      return std::tie(rank, left) > std::tie(other.rank, other.left);
    }
  };
  const int count = static_cast<int>(piece.size());
  std::vector<Symbol> symbols(count);
  for (int i = 0; i < count; ++i) {
    symbols[i] = {byte_token(piece[i]), i - 1, i + 1 < count ? i + 1 : -1};
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto consider = [&](int left) {
    if (left < 0 || symbols[left].next < 0) return;
    const int right = symbols[left].next;
    const Token a = symbols[left].token, b = symbols[right].token;
    if (const Rule* rule = rules_.find(a, b))
      queue.push({rule->rank, left, right, a, b, rule->joined});
  };
  for (int i = 0; i < count; ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.left];
    Symbol& right = symbols[best.right];
    if (left.token != best.left_token || right.token != best.right_token ||
        left.next != best.right) {
      continue;
    }
    left.token = best.joined;
    left.next = right.next;
    if (right.next >= 0) symbols[right.next].previous = best.left;
    right.token = -1;
    consider(left.previous);
    consider(best.left);
  }
  for (int i = 0; i >= 0; i = symbols[i].next) ids.push_back(symbols[i].token);
}

}  // namespace umf
