#include "decode/walk_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "decode/editing.h"
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
      lexicons_(distinct_lexicons(participants_, lexicon_of_)),
      keeps_writers_(std::ranges::any_of(
          actions_, [](const Action& action) { return !action.others.empty(); })),
      keeps_text_(std::ranges::none_of(actions_, revises)) {
  require(!actions_.empty(), "a search needs at least one action");
  for (const Action& action : actions_) check(action);
  for (const auto& [model, tokenizer, prompt] : participants_) {
    require(std::find(prompt.begin(), prompt.end(), model->info().tokens.mask) == prompt.end(),
            "the prompt contains the model's mask token; it would be taken for a cell to fill");
  }
}

void WalkSetup::check(const Action& action) const {
  const std::vector<Action> members = members_of(action);
  for (const Action& member : members) check_member(member);
  require(members.size() > 1 || action.ensemble == Ensemble::kNone,
          fmt::format("rule={} is for several models, as in models=A+B", name_of(action.ensemble)));
  require(members.size() == 1 || action.ensemble != Ensemble::kNone,
          "an action of several models needs rule=relay or rule=poll");
  for (std::size_t i = 0; i < members.size(); ++i) {
    require(members.size() == 1 || members[i].remask == Remask::kNone,
            "models that write together mask nothing again; leave out remask");
    for (std::size_t j = 0; j < i; ++j)
      require(members[i].model != members[j].model, "a model is named twice in one action");
  }
}

void WalkSetup::check_member(const Action& action) const {
  umf::check(action);
  require(action.model >= 0 && std::cmp_less(action.model, participants_.size()),
          fmt::format("an action names model {}, but there are {}", action.model,
                      participants_.size()));
  // The mask would win again in the same state, for ever.
  require(!action.allow_mask,
          "allow-mask is for plain decoding: a search commits a token per pass");
  const ModelInfo& model = participants_[action.model].model->info();
  check_for(action, model);
  check_editing(action, model);
  require(action.anchor != AnchorRule::kBlock || has_blocks(action),
          "anchor=block needs blocks: a block length, or a model that has them");
  require(!action.grow || has_blocks(action), kGrowNeedsBlocks);
  if (action.remask == Remask::kNone) return;
  require(options_.block_length == options_.window,
          "remasking takes the whole window at once; leave out the block length");
  require(action.block == 0 && !action.grow,
          "remasking takes the whole window at once; it goes with block=0 and grow=false");
  require(model.block == 0,
          fmt::format("{} decodes in blocks of {}, and remasking takes the whole window at once",
                      model.name, model.block));
}

bool WalkSetup::has_blocks(const Action& member) const {
  return options_.block_length < options_.window || member.block > 0 ||
         participants_[member.model].model->info().block > 0;
}

WalkSetup WalkSetup::with(std::span<Model* const> models) const {
  WalkSetup setup = *this;
  for (std::size_t i = 0; i < models.size(); ++i) setup.participants_[i].model = models[i];
  return setup;
}

int WalkSetup::masks_in(const WindowState& state) const {
  return static_cast<int>(std::ranges::count(state.cells, lexicon_of(state).tokens.mask));
}

std::optional<int> WalkSetup::first_model(const WindowState& state, int action) const {
  const std::vector<Action> members = members_of(actions_[action]);
  const auto wrote = std::ranges::find(members, state.writer, &Action::model);
  if (wrote != members.end()) return state.writer;
  for (const Action& member : members) {
    if (in_ids_of(member.model, state)) return member.model;
  }
  return std::nullopt;
}

std::optional<WindowState> WalkSetup::enter(const WindowState& state, int action) const {
  if (masks_in(state) == 0) return state;  // an end is an end for every action
  const std::optional<int> model = first_model(state, action);
  return model ? in_ids_of(*model, state) : std::nullopt;
}

std::optional<WindowState> WalkSetup::in_ids_of(int model, WindowState state) const {
  const int masks = masks_in(state), lexicon = lexicon_of_[model];
  const Participant& participant = participants_[model];
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

int WalkSetup::author(int action, int model) const {
  if (actions_[action].others.empty()) return action;
  auto number = static_cast<int>(actions_.size());
  for (int before = 0; before < action; ++before) {
    const std::size_t others = actions_[before].others.size();
    if (others > 0) number += static_cast<int>(others) + 1;
  }
  if (model == actions_[action].model) return number;
  for (const Action& other : actions_[action].others) {
    ++number;
    if (other.model == model) break;
  }
  return number;
}

bool WalkSetup::closed(const WindowState& state) const {
  if (!keeps_text_) return masks_in(state) == 0;
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
// is asked for one of them at a time, counted as the model counts them: its later blocks have never
// seen unfinished earlier ones. So is a cell that is written before the others of its block,
// and the part of the block, or without such of the window, that the action fills first.
WalkSetup::Range WalkSetup::active_range(std::span<const Token> window,
                                         const Action& action) const {
  const Participant& participant = participants_[action.model];
  const Token mask = participant.model->info().tokens.mask;
  const auto masks = static_cast<int>(std::ranges::count(window, mask));
  const int open = masks % options_.block_length;
  const int wanted = open == 0 ? options_.block_length : open;
  const auto first = static_cast<int>(std::ranges::find(window, mask) - window.begin());
  auto last = static_cast<int>(window.size());
  const ModelInfo& info = participant.model->info();
  const auto prompt = static_cast<int>(participant.prompt.size());
  const int before = info.blocks_begin(prompt);
  for (const int block : {info.block, action.block}) {
    if (block > 0) last = std::min(last, ((before + first) / block + 1) * block - before);
  }
  if (info.leads_block(prompt, first)) last = std::min(last, first + 1);
  Range range{first, first, 0};
  for (; range.end < last && range.masks < wanted; ++range.end) {
    if (window[range.end] == mask) ++range.masks;
  }
  return range;
}

std::optional<int> WalkSetup::active_masks(std::span<const Token> window, int action,
                                           int model) const {
  const std::vector<Action> members = members_of(actions_[action]);
  const Action& member = *std::ranges::find(members, model, &Action::model);
  if (!has_blocks(member)) return std::nullopt;
  return active_range(window, member).masks;
}

}  // namespace umf
