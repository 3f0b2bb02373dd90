#include "decode/walker.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "decode/branching.h"
#include "decode/decoder.h"
#include "decode/remasking.h"
#include "decode/schedule.h"
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

// The action with the noise of a fresh draw; draw 0 is the noise of the state alone.
Action drawn(Action action, std::uint64_t draw) {
  if (draw != 0) action.seed = noise_key(action.seed, draw, {}).low;
  return action;
}

std::vector<Token> mask_tokens(const std::vector<Lexicon>& lexicons) {
  std::vector<Token> masks;
  for (const Lexicon& lexicon : lexicons) masks.push_back(lexicon.tokens.mask);
  return masks;
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

Walker::Walker(std::vector<Participant> participants, std::vector<Action> actions,
               WalkOptions options)
    : participants_(std::move(participants)),
      actions_(std::move(actions)),
      options_(checked(std::move(options))),
      targets_(checkpoint_targets(options_.window, options_.ratios, options_.block_length)),
      lexicons_(distinct_lexicons(participants_, lexicon_of_)),
      table_(options_.window, mask_tokens(lexicons_)) {
  require(!actions_.empty(), "a search needs at least one action");
  for (const Action& action : actions_) check(action);
  for (const auto& [model, tokenizer, prompt] : participants_) {
    require(std::find(prompt.begin(), prompt.end(), model->info().tokens.mask) == prompt.end(),
            "the prompt contains the model's mask token; it would be taken for a cell to fill");
  }
}

void Walker::check(const Action& action) const {
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

Outcome Walker::walk(const Trial& trial, int limit, const WalkObserver& observer) {
  assert(trial.action >= 0 && trial.action < actions() && trial.from >= 0 && trial.from < states());
  if (memo_ == nullptr) return walk_anew(trial, limit, observer);
  const std::string key = memo_key(trial);
  if (const auto known = memo_->find(key, limit)) {
    Outcome outcome{.passes = known->passes, .spared = known->spared, .writes = known->writes};
    for (WindowState state : known->path) {
      // Numbered by this walker: the one that made the walk may know other lexicons.
      state.lexicon = lexicon_of_[actions_[trial.action].model];
      const StateId id = table_.intern(state);
      outcome.path.push_back({id, table_.masks(id)});
    }
    return outcome;
  }
  const Outcome outcome = walk_anew(trial, limit, observer);
  memo_->count_passes(outcome.passes);
  if (!outcome.feasible || !outcome.complete || outcome.passes == 0) return outcome;
  WalkMemo::Walk walk{{}, outcome.passes, outcome.spared, outcome.writes};
  for (const Place& place : outcome.path) walk.path.push_back(table_.at(place.state));
  memo_->insert(key, std::move(walk));
  return outcome;
}

// Everything that a walk for one problem depends on. A checkpoint is known by its tokenizer, which
// all that share its model have in common; noise depends on the action's number, seed and draw.
std::string Walker::memo_key(const Trial& trial) const {
  Action action = actions_[trial.action];
  const WindowState from = table_.at(trial.from);
  const bool root = trial.from == 0;
  std::string key =
      fmt::format("{} {} {} {} {} {}|", fmt::ptr(participants_[action.model].tokenizer),
                  options_.window, options_.block_length, static_cast<int>(options_.policy),
                  options_.closed_text ? static_cast<int>(lexicons_.size()) : 0, from.steps_left);
  if (is_random(action))
    key += fmt::format("{} {}|", trial.action, trial.draw);
  else
    action.seed = 0;
  action.visit([&](auto& field, const char*, const char*) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>)
      key += fmt::format("{} ", static_cast<int>(field));
    else
      key += fmt::format("{} ", field);
  });
  for (const int target : targets_) key += fmt::format("{},", target);
  if (root) return key + "root";  // the same in all lexicons
  key += fmt::format("{}|", fmt::ptr(lexicons_[from.lexicon].tokenizer));
  key.append(reinterpret_cast<const char*>(from.cells.data()), from.cells.size() * sizeof(Token));
  return key;
}

Outcome Walker::walk_anew(const Trial& trial, int limit, const WalkObserver& observer) {
  std::optional<WindowState> start = enter(trial);
  if (!start) return {.complete = false, .feasible = false};
  WindowState& state = *start;
  const Action action = drawn(actions_[trial.action], trial.draw);
  if (action.remask != Remask::kNone)
    return remask_from(std::move(state), action, trial.action, limit, observer);
  std::vector<WindowState> path;
  std::vector<Write> writes;
  int passes = 0, spared = 0, masks = masks_in(state);
  bool at_checkpoint = false, going = true;
  while (masks > 0 && going) {
    const bool settled = options_.closed_text && closed(state);
    if (!settled && passes == limit) break;
    const int target = next_target(targets_, masks);
    const std::vector<Commit> commits =
        settled ? std::vector{fill_behind(state)} : step(state, action, trial.action);
    ++(settled ? spared : passes);
    for (const Commit& commit : commits) writes.push_back({passes, commit.cell, commit.token});
    masks = masks_in(state);
    at_checkpoint = masks <= target;
    if (at_checkpoint) path.push_back(state);
    if (observer && !settled) going = observer(state.cells, commits);
  }
  if (!at_checkpoint) path.push_back(state);

  Outcome outcome{
      .passes = passes, .spared = spared, .complete = masks == 0, .writes = std::move(writes)};
  for (const WindowState& place : path) {
    const StateId id = table_.intern(place);
    outcome.path.push_back({id, table_.masks(id)});
  }
  return outcome;
}

// Masks rise and fall on the way, so that no state before the end is a checkpoint.
Outcome Walker::remask_from(WindowState state, const Action& action, int index, int limit,
                            const WalkObserver& observer) {
  const Participant& participant = participants_[action.model];
  std::vector<Token> seen = state.cells;
  std::vector<Write> writes;
  const auto note = [&](std::span<const Token> window, int pass) {
    for (int cell = 0; std::cmp_less(cell, window.size()); ++cell) {
      if (window[cell] != seen[cell]) writes.push_back({pass, cell, seen[cell] = window[cell]});
    }
  };
  int seen_passes = 0;
  const auto [passes, finished] =
      remask(*participant.model, participant.prompt, state.cells, action, index, limit,
             [&](std::span<const Token> window, std::span<const Commit> commits) {
               note(window, ++seen_passes);
               return !observer || observer(window, commits);
             });
  note(state.cells, passes);
  state.steps_left = 0;
  const StateId id = table_.intern(state);
  return {.path = {{id, table_.masks(id)}},
          .passes = passes,
          .complete = finished,
          .writes = std::move(writes)};
}

Branching Walker::branch(StateId from, int index, int children, const WalkObserver& observer) {
  const Action& action = actions_[index];
  const Participant& participant = participants_[action.model];
  require(participant.model->info().block == 0,
          fmt::format("{} decodes in blocks and cannot complete a window in one pass",
                      participant.model->info().name));
  const std::optional<WindowState> start = enter({from, index});
  if (!start) return {.feasible = false};
  if (memo_ != nullptr) memo_->count_passes(1);
  const Range open = active_range(start->cells, participant);
  const Drafts drafts = draft_children(*participant.model, participant.prompt, start->cells, action,
                                       index, open.begin, open.end, children);
  WindowState full = *start;
  full.steps_left = 0;
  for (const Commit& commit : drafts.completion) full.cells[commit.cell] = commit.token;
  Branching result;
  for (const Commit& commit : drafts.children) {
    WindowState child = *start, completion = full;
    child.steps_left = 0;
    child.cells[commit.cell] = completion.cells[commit.cell] = commit.token;
    const StateId id = table_.intern(child);
    const Branch branch{{id, table_.masks(id)}, table_.intern(completion)};
    if (std::ranges::find(result.branches, branch) == result.branches.end())
      result.branches.push_back(branch);
  }
  if (observer) result.interrupted = !observer(start->cells, drafts.children);
  return result;
}

std::optional<WindowState> Walker::enter(const Trial& trial) const {
  const int participant = actions_[trial.action].model;
  const auto& [model, tokenizer, prompt] = participants_[participant];
  const int lexicon = lexicon_of_[participant];
  const int masks = table_.masks(trial.from);
  WindowState state = table_.at(trial.from, lexicon);
  if (masks == 0) return state;  // an end is an end for every action
  auto cells = convert(state.cells, lexicons_[state.lexicon], lexicons_[lexicon],
                       {.policy = options_.policy,
                        .window = options_.window,
                        .least_masks = next_target(targets_, masks) + 1,
                        .context = model->info().max_length - static_cast<int>(prompt.size())});
  if (!cells) return std::nullopt;
  // The steps that an action had left end with its tokenizer: here another action is entered.
  if (state.lexicon != lexicon) state.steps_left = 0;
  state.lexicon = lexicon;
  state.cells = *std::move(cells);
  return state;
}

int Walker::masks_in(const WindowState& state) const {
  return static_cast<int>(
      std::count(state.cells.begin(), state.cells.end(), lexicons_[state.lexicon].tokens.mask));
}

// The masks that may be committed next. A block is open until the masks are a multiple of its
// length, so that the active block follows from the state alone, also where a walk was cut inside
// of one. A model whose attention has blocks is asked for one of them at a time, counted from the
// start of its prompt: its later blocks have never seen unfinished earlier ones.
Walker::Range Walker::active_range(std::span<const Token> window,
                                   const Participant& participant) const {
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

std::optional<int> Walker::active_masks(std::span<const Token> window, int action) const {
  const Participant& participant = participants_[actions_[action].model];
  const bool blocks =
      options_.block_length < options_.window || participant.model->info().block > 0;
  if (!blocks) return std::nullopt;
  return active_range(window, participant).masks;
}

std::vector<Commit> Walker::step(WindowState& state, const Action& action, int index) const {
  const Participant& participant = participants_[action.model];
  const Range range = active_range(state.cells, participant);
  const int steps_left = state.steps_left > 0 ? state.steps_left : range.masks;
  const StepRule rule{.begin = range.begin,
                      .end = range.end,
                      .count = 1,
                      .share = 1.0f / static_cast<float>(steps_left),
                      .steps_left = steps_left,
                      .time = state_time(masks_in(state), options_.window)};
  const std::vector<Commit> commits =
      denoise(*participant.model, participant.prompt, state.cells, action, index, rule);
  for (const Commit& commit : commits) state.cells[commit.cell] = commit.token;
  // Origin spends as many passes on a range as it has masks; with the last mask the rest is
  // dropped.
  const bool unfinished = std::cmp_less(commits.size(), range.masks);
  state.steps_left = action.strategy == Strategy::kOrigin && unfinished ? steps_left - 1 : 0;
  return commits;
}

std::string Walker::text(StateId id) const {
  WindowState state = table_.at(id);
  const Lexicon& lexicon = lexicons_[state.lexicon];
  std::erase(state.cells, lexicon.tokens.mask);
  return answer_text(*lexicon.tokenizer, lexicon.tokens, state.cells);
}

// The first mask becomes the end of text: invisible behind the end that is already there.
Commit Walker::fill_behind(WindowState& state) const {
  const SpecialTokens& tokens = lexicons_[state.lexicon].tokens;
  const auto mask = std::find(state.cells.begin(), state.cells.end(), tokens.mask);
  *mask = tokens.end_of_text;
  state.steps_left = 0;
  return {static_cast<int>(mask - state.cells.begin()), tokens.end_of_text};
}

bool Walker::closed(StateId id) const { return closed(table_.at(id)); }

bool Walker::closed(const WindowState& state) const {
  const Lexicon& lexicon = lexicons_[state.lexicon];
  // Another tokenizer may make padding of a special token that has no role, and end the text there.
  const bool may_convert = lexicons_.size() > 1 && masks_in(state) > 0;
  for (const Token cell : state.cells) {
    if (ends_text(lexicon.tokens, cell)) return true;
    const CellRole role = role_of(lexicon, cell);
    if (role == CellRole::kMask || (role != CellRole::kText && may_convert)) return false;
  }
  return true;
}

}  // namespace umf
