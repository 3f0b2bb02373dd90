#include "decode/states.h"

#include <algorithm>
#include <utility>

#include "decode/decoder.h"

namespace umf {
namespace {

std::vector<Token> mask_tokens(const std::vector<Lexicon>& lexicons) {
  std::vector<Token> masks;
  for (const Lexicon& lexicon : lexicons) masks.push_back(lexicon.tokens.mask);
  return masks;
}

}  // namespace

States::States(WalkSetup setup)
    : setup_(std::move(setup)), table_(setup_.options().window, mask_tokens(setup_.lexicons())) {}

std::string States::text(WindowState state) const {
  const Lexicon& lexicon = lexicon_of(state);
  std::erase(state.cells, lexicon.tokens.mask);
  return answer_text(*lexicon.tokenizer, lexicon.tokens, state.cells);
}

Place States::place(const WindowState& state) {
  const StateId id = table_.intern(state);
  return {id, table_.masks(id)};
}

Outcome States::number(Walk walk) {
  Outcome outcome{.passes = walk.passes,
                  .spared = walk.spared,
                  .complete = walk.complete,
                  .feasible = walk.feasible,
                  .writes = std::move(walk.writes)};
  for (const WindowState& state : walk.path) outcome.path.push_back(place(state));
  return outcome;
}

Branching States::number(const WindowBranching& branching) {
  Branching result{.interrupted = branching.interrupted, .feasible = branching.feasible};
  for (const auto& [child, completion] : branching.branches) {
    const Place first = place(child);
    const Branch branch{first, table_.intern(completion)};
    if (std::ranges::find(result.branches, branch) == result.branches.end())
      result.branches.push_back(branch);
  }
  return result;
}

}  // namespace umf
