// The decoding half of a search: states, and walks between them with models that may differ in
// their tokenizers.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/action.h"
#include "decode/convert.h"
#include "decode/denoise.h"
#include "decode/state_table.h"
#include "decode/walk_memo.h"

namespace umf {

// A model in a search, and the problem as its chat template and tokenizer put it. Both must outlive
// the walker.
struct Participant {
  Model* model = nullptr;
  const Tokenizer* tokenizer = nullptr;
  std::vector<Token> prompt;
};

struct WalkOptions {
  int window = 256;
  std::vector<int> ratios;  // of the checkpoints, in thousandths of the window
  int block_length = 0;     // blocks are finished from the left; 0: no blocks
  WindowPolicy policy = WindowPolicy::kPreserveMasks;
  // Cells behind the end of a text that can no longer change are filled without asking a model
  // (docs/algorithm.md#exact-extras): every reward stays what it would be, at fewer passes.
  bool closed_text = false;
};

// A walk depends on its trial alone: not on earlier walks, their order, or the limit beyond its own
// length. One thread at a time, as the models; walkers that share a model take turns, too.
class Walker {
 public:
  // Actions name their participant in `model`. Throws Error when something does not fit together.
  Walker(std::vector<Participant> participants, std::vector<Action> actions, WalkOptions options);

  Place root() const { return {0, options_.window}; }
  int actions() const { return static_cast<int>(actions_.size()); }
  int model_of(int action) const { return actions_[action].model; }

  // One token per forward pass from the trial's state to its end, or for `limit` passes: exactly
  // the masks of the start (origin: at most). The path holds the first state at or below each
  // checkpoint and the last state. Infeasible when the window does not fit the action's model. When
  // a model throws, no state of the walk is kept.
  // An action that remasks makes one trajectory of its own number of passes: its path is the end.
  Outcome walk(const Trial& trial, int limit, const WalkObserver& observer = {});

  // Complete walks are taken from `memo` and put there. Walkers that share one stand for the same
  // problem; they may differ in models, actions and options. Must outlive the walks.
  void share(WalkMemo* memo) { memo_ = memo; }

  // One forward pass from a state with masks, and `children` draws from it: each commits one mask,
  // uniformly drawn, with a token of the action. A completion fills all other masks with the most
  // probable tokens of the same pass. Equal children are merged. Takes no model that has blocks: it
  // cannot tell what stands in later ones.
  Branching branch(StateId from, int action, int children, const WalkObserver& observer = {});

  // Under block decoding, by the walk's blocks or those of the action's model: how many masks of a
  // window in that model's ids it is asked for next. They are the first from the left; the others
  // wait for them. Nothing where there are no blocks: every mask may be next.
  std::optional<int> active_masks(std::span<const Token> window, int action) const;

  // The answer in a state: the bytes before the first token that ends it, without special tokens
  // and masks. May be invalid UTF-8.
  std::string text(StateId id) const;
  // Whether no action can change the text any more: nothing is masked before the token that ends
  // it.
  bool closed(StateId id) const;

  // The trial's state in the ids of the action's model, as its walk begins; nothing when it does
  // not fit there.
  std::optional<WindowState> enter(const Trial& trial) const;

  // The state for display; its ids belong to tokenizer_of(state).
  WindowState state(StateId id) const { return table_.at(id); }
  const Lexicon& lexicon_of(const WindowState& state) const { return lexicons_[state.lexicon]; }
  const Lexicon& lexicon_of_action(int action) const {
    return lexicons_[lexicon_of_[actions_[action].model]];
  }
  const Tokenizer& tokenizer_of(const WindowState& state) const {
    return *lexicon_of(state).tokenizer;
  }
  Token mask_of(StateId id) const { return lexicon_of(state(id)).tokens.mask; }
  // The id of a state that an earlier run of the same configuration reached.
  StateId restore(const WindowState& state) { return table_.intern(state); }
  int states() const { return table_.size(); }
  int masks(StateId id) const { return table_.masks(id); }
  const std::vector<int>& targets() const { return targets_; }

 private:
  // A participant's model is asked for cells in [begin, end) only.
  struct Range {
    int begin, end, masks;
  };
  Outcome walk_anew(const Trial& trial, int limit, const WalkObserver& observer);
  std::string memo_key(const Trial& trial) const;
  void check(const Action& action) const;
  int masks_in(const WindowState& state) const;
  bool closed(const WindowState& state) const;
  Commit fill_behind(WindowState& state) const;
  Outcome remask_from(WindowState state, const Action& action, int index, int limit,
                      const WalkObserver& observer);
  Range active_range(std::span<const Token> window, const Participant& participant) const;
  std::vector<Commit> step(WindowState& state, const Action& action, int index) const;

  std::vector<Participant> participants_;
  std::vector<Action> actions_;
  WalkOptions options_;
  std::vector<int> targets_;
  std::vector<int> lexicon_of_;    // by participant; filled with the next
  std::vector<Lexicon> lexicons_;  // distinct ones, in the order of the participants
  StateTable table_;
  WalkMemo* memo_ = nullptr;
};

}  // namespace umf
