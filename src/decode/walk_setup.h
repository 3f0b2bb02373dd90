// What all walks of a search have in common: models that may differ in their tokenizers, actions on
// them, and how far a walk goes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decode/action.h"
#include "decode/convert.h"
#include "decode/walk.h"
#include "decode/walk_passes.h"

namespace umf {

// A model in a search, and the problem as its chat template and tokenizer put it. Both must outlive
// whoever walks with them.
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
  BudgetUnit unit = BudgetUnit::kPasses;
};

// Never changes, so that it may be read on any thread.
class WalkSetup {
 public:
  // Actions name their participant in `model`. Throws Error when something does not fit together.
  WalkSetup(std::vector<Participant> participants, std::vector<Action> actions,
            WalkOptions options);
  // The same over other objects of the same models, by participant: for one more thread.
  WalkSetup with(std::span<Model* const> models) const;

  Place root() const { return {0, options_.window}; }
  const std::vector<Participant>& participants() const { return participants_; }
  const std::vector<Action>& actions() const { return actions_; }
  const WalkOptions& options() const { return options_; }
  const std::vector<int>& targets() const { return targets_; }  // masks left at each checkpoint

  // Of an ensemble the first.
  const Participant& participant_of(int action) const {
    return participants_[actions_[action].model];
  }
  // Tells actions of different models apart: an ensemble is no one's but its own.
  int model_of(int action) const {
    return actions_[action].others.empty() ? actions_[action].model
                                           : static_cast<int>(participants_.size()) + action;
  }
  // Whether a rollout of the action costs as much as it fills masks.
  bool costs_masks(int action) const {
    const bool counted = options_.unit == BudgetUnit::kPasses || is_exact(actions_[action]);
    return counted && commits_one(actions_[action]);
  }
  // Distinct ones, in the order of the participants.
  const std::vector<Lexicon>& lexicons() const { return lexicons_; }
  const Lexicon& lexicon_of(const WindowState& state) const { return lexicons_[state.lexicon]; }
  const Lexicon& lexicon_of_model(int model) const { return lexicons_[lexicon_of_[model]]; }
  int masks_in(const WindowState& state) const;

  // Who of the action's models looks at the state first: the one that wrote last, otherwise the
  // first that it fits. None where it fits nobody.
  std::optional<int> first_model(const WindowState& state, int action) const;
  // The state in the ids of that model, as the action's walk begins; nothing when it fits nobody.
  std::optional<WindowState> enter(const WindowState& state, int action) const;
  // The state in the ids of a model; nothing when it does not fit there.
  std::optional<WindowState> in_ids_of(int model, WindowState state) const;
  // After the model has written.
  void sign(WindowState& state, int model) const {
    if (keeps_writers_) state.writer = model;
  }

  // The number of an author: of an action of one model its own; then follow, action by action, the
  // models of those that have several.
  int author(int action, int model) const;

  // Whether what is written stays: no action revises it.
  bool keeps_text() const { return keeps_text_; }
  // Whether no action can change the text any more: nothing is masked before the token that ends
  // it, and what is written stays.
  bool closed(const WindowState& state) const;

  // The cells of a window that the action's model is asked for next, and how many of them are
  // masks. The action has one model, or is the member of one that has several.
  struct Range {
    int begin, end, masks;
  };
  Range active_range(std::span<const Token> window, const Action& action) const;
  // Under block decoding, by the blocks of the walk, the action or the model: how many masks the
  // model is asked for next. They are the first from the left; the others wait for them. Nothing
  // where there are no blocks: every mask may be next.
  std::optional<int> active_masks(std::span<const Token> window, int action, int model) const;

 private:
  void check(const Action& action) const;
  void check_member(const Action& action) const;
  bool has_blocks(const Action& member) const;

  std::vector<Participant> participants_;
  std::vector<Action> actions_;
  WalkOptions options_;
  std::vector<int> targets_;
  std::vector<int> lexicon_of_;  // by participant; filled with the next
  std::vector<Lexicon> lexicons_;
  bool keeps_writers_, keeps_text_;
};

}  // namespace umf
