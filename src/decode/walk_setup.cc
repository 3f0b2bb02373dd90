#include "decode/walk_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "search/checkpoints.h"

namespace umf {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw Error(message);
}

WalkOptions checked(WalkOptions options) {
  require(options.window >= 1,
          fmt::format("the window must have at least 1 cell, not {}", options.window));
  require(options.block_length >= 0,
          fmt::format("the block length must be at least 1, not {}", options.block_length));
  if (options.block_length == 0) options.block_length = options.window;
  require(options.window % options.block_length == 0,
          fmt::format("the window of {} is not a multiple of the block length {}", options.window,
                      options.block_length));
  return options;
}

std::vector<Lexicon> distinct_lexicons(const std::vector<Participant>& participants,
                                       std::vector<int>& lexicon_of) {
  std::vector<Lexicon> lexicons;
  for (const Participant& participant : participants) {
    const Lexicon own{participant.tokenizer, participant.model->info().tokens};
    const auto known = std::find_if(lexicons.begin(), lexicons.end(), [&](const Lexicon& lexicon) {
      return same_lexicon(lexicon, own);
    });
    lexicon_of.push_back(static_cast<int>(known - lexicons.begin()));
    if (known == lexicons.end()) lexicons.push_back(own);
  }
  return lexicons;
}

}  // namespace

WalkSetup::WalkSetup(std::vector<Participant> participants, std::vector<Action> actions,
                     WalkOptions options)
    : participants_(std::move(participants)),
      actions_(std::move(actions)),
      options_(checked(std::move(options))),
      targets_(checkpoint_targets(options_.window, options_.ratios, options_.block_length)),
      lexicons_(distinct_lexicons(participants_, lexicon_of_)) {
  require(!actions_.empty(), "a search needs at least one action");
  for (const Action& action : actions_) check(action);
  for (const auto& [model, tokenizer, prompt] : participants_) {
    require(std::find(prompt.begin(), prompt.end(), model->info().tokens.mask) == prompt.end(),
            "the prompt contains the model's mask token; it would be taken for a cell to fill");
  }
}

void WalkSetup::check(const Action& action) const {
  umf::check(action);
  require(action.model >= 0 && std::cmp_less(action.model, participants_.size()),
          fmt::format("an action names model {}, but there are {}", action.model,
                      participants_.size()));
  // The mask would win again in the same state, for ever.
  require(!action.allow_mask,
          "allow-mask is for plain decoding: a search commits a token per pass");
  if (action.remask == Remask::kNone) return;
  require(options_.block_length == options_.window,
          "remasking takes the whole window at once; leave out the block length");
  const ModelInfo& model = participants_[action.model].model->info();
  require(model.block == 0,
          fmt::format("{} decodes in blocks of {}, and remasking takes the whole window at once",
                      model.name, model.block));
}

WalkSetup WalkSetup::with(std::span<Model* const> models) const {
  WalkSetup setup = *this;
  for (std::size_t i = 0; i < models.size(); ++i) setup.participants_[i].model = models[i];
  return setup;
}

int WalkSetup::masks_in(const WindowState& state) const {
  return static_cast<int>(std::ranges::count(state.cells, lexicon_of(state).tokens.mask));
}

std::optional<WindowState> WalkSetup::enter(WindowState state, int action) const {
  const int masks = masks_in(state), lexicon = lexicon_of_[actions_[action].model];
  if (masks == 0) return state;  // an end is an end for every action
  const Participant& participant = participant_of(action);
  auto cells = convert(state.cells, lexicon_of(state), lexicons_[lexicon],
                       {.policy = options_.policy,
                        .window = options_.window,
                        .least_masks = next_target(targets_, masks) + 1,
                        .context = participant.model->info().max_length -
                                   static_cast<int>(participant.prompt.size())});
  if (!cells) return std::nullopt;
  // The steps that an action had left end with its tokenizer: here another action is entered.
  if (state.lexicon != lexicon) state.steps_left = 0;
  state.lexicon = lexicon;
  state.cells = *std::move(cells);
  return state;
}

bool WalkSetup::closed(const WindowState& state) const {
  const Lexicon& lexicon = lexicon_of(state);
  // Another tokenizer may make padding of a special token that has no role, and end the text there.
  const bool may_convert = lexicons_.size() > 1 && masks_in(state) > 0;
  for (const Token cell : state.cells) {
    if (ends_text(lexicon.tokens, cell)) return true;
    const CellRole role = role_of(lexicon, cell);
    if (role == CellRole::kMask || (role != CellRole::kText && may_convert)) return false;
  }
  return true;
}

// A block is open until the masks are a multiple of its length, so that the active block follows
// from the state alone, also where a walk was cut inside of one. A model whose attention has blocks
// is asked for one of them at a time, counted from the start of its prompt: its later blocks have
// never seen unfinished earlier ones.
WalkSetup::Range WalkSetup::active_range(std::span<const Token> window, int action) const {
  const Participant& participant = participant_of(action);
  const Token mask = participant.model->info().tokens.mask;
  const auto masks = static_cast<int>(std::ranges::count(window, mask));
  const int open = masks % options_.block_length;
  const int wanted = open == 0 ? options_.block_length : open;
  const auto first = static_cast<int>(std::ranges::find(window, mask) - window.begin());
  auto last = static_cast<int>(window.size());
  if (const int block = participant.model->info().block; block > 0) {
    const auto before = static_cast<int>(participant.prompt.size());
    last = std::min(last, ((before + first) / block + 1) * block - before);
  }
  Range range{first, first, 0};
  for (; range.end < last && range.masks < wanted; ++range.end) {
    if (window[range.end] == mask) ++range.masks;
  }
  return range;
}

std::optional<int> WalkSetup::active_masks(std::span<const Token> window, int action) const {
  const bool blocks =
      options_.block_length < options_.window || participant_of(action).model->info().block > 0;
  if (!blocks) return std::nullopt;
  return active_range(window, action).masks;
}

}  // namespace umf
