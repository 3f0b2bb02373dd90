#include "decode/walker.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "base/random.h"
#include "decode/authors.h"
#include "decode/branching.h"
#include "decode/editing.h"
#include "decode/ensemble.h"
#include "decode/remasking.h"
#include "decode/replan.h"
#include "decode/schedule.h"
#include "search/checkpoints.h"

namespace umf {
namespace {

// The action with the noise of a fresh draw; draw 0 is the noise of the state alone.
Action drawn(Action action, std::uint64_t draw) {
  if (draw != 0) action.seed = noise_key(action.seed, draw, {}).low;
  return action;
}

}  // namespace

Walk Walker::walk(const Trial& trial, const WindowState& from, int limit,
                  const WalkObserver& observer) {
  assert(trial.action >= 0 && std::cmp_less(trial.action, setup_.actions().size()));
  std::optional<WindowState> start = setup_.enter(from, trial.action);
  if (!start) return {.complete = false, .feasible = false};
  // An end may be in other ids than those of the action's model.
  if (memo_ == nullptr || setup_.masks_in(*start) == 0)
    return walk_anew(trial, *std::move(start), limit, observer);
  const std::string key = memo_key(trial, *start);
  if (const auto known = memo_->find(key, limit)) {
    Walk walk = *known;
    // As this walker counts them: the one that made the walk may know other lexicons and models.
    const Action& action = setup_.actions()[trial.action];
    if (!action.others.empty()) return walk;
    for (WindowState& state : walk.path) {
      state.lexicon = start->lexicon;
      state.writer = -1;
      if (setup_.masks_in(state) > 0) setup_.sign(state, action.model);
    }
    for (Write& write : walk.writes) write.model = action.model, write.lexicon = start->lexicon;
    return walk;
  }
  Walk walk = walk_anew(trial, *std::move(start), limit, observer);
  memo_->count_passes(walk.passes);
  if (walk.complete && walk.passes > 0) memo_->insert(key, walk);
  return walk;
}

std::string Walker::memo_key(const Trial& trial, const WindowState& start) const {
  const bool by_chance = is_random(setup_.actions()[trial.action]);
  std::string key =
      fmt::format("{}{} {}|", keys_[trial.action], by_chance ? trial.draw : 0, start.steps_left);
  if (!setup_.actions()[trial.action].others.empty())
    key += fmt::format("{} {}|", start.lexicon, start.writer);
  key.append(reinterpret_cast<const char*>(start.cells.data()), start.cells.size() * sizeof(Token));
  return key;
}

Walk Walker::walk_anew(const Trial& trial, WindowState state, int limit,
                       const WalkObserver& observer) {
  const Action action = drawn(setup_.actions()[trial.action], trial.draw);
  if (is_trajectory(action)) return remask_from(std::move(state), trial, action, limit, observer);
  Way way{trial, action, observer, limit, WalkPasses(setup_.options().unit)};
  Walk& walk = way.walk;
  const auto arrive = [&] {
    walk.path.push_back(state);
    walk.passes_at.push_back(walk.passes);
  };
  int masks = setup_.masks_in(state);
  bool at_checkpoint = false;
  Progress progress = Progress::kOn;
  while (masks > 0 && progress == Progress::kOn) {
    const bool settled = setup_.options().closed_text && setup_.closed(state);
    if (!settled && walk.passes == limit) break;
    const int target = next_target(setup_.targets(), masks);
    progress = settled                 ? fill_behind(state, way)
               : action.others.empty() ? step(state, way)
                                       : step_together(state, way);
    if (progress == Progress::kCut) break;
    masks = setup_.masks_in(state);
    if (masks == 0) state.writer = -1;  // nobody goes on
    at_checkpoint = masks <= target;
    if (at_checkpoint) {
      arrive();
      way.passes.forget();
    }
  }
  if (!at_checkpoint) arrive();
  walk.complete = masks == 0 && !way.editing;
  walk.partial = way.passes.partial();
  walk.equivalents = way.passes.equivalents();
  return std::move(way.walk);
}

// Masks rise and fall on the way, so that no state before the end is a checkpoint.
Walk Walker::remask_from(WindowState state, const Trial& trial, const Action& action, int limit,
                         const WalkObserver& observer) {
  const Participant& participant = setup_.participant_of(trial.action);
  std::vector<Token> seen = state.cells;
  Walk walk;
  const auto note = [&](std::span<const Token> window, int pass) {
    for (int cell = 0; std::cmp_less(cell, window.size()); ++cell) {
      if (window[cell] != seen[cell])
        walk.writes.push_back({pass, cell, seen[cell] = window[cell], action.model, state.lexicon});
    }
  };
  int seen_passes = 0;
  const auto [passes, finished] =
      remask(*participant.model, participant.prompt, state.cells, action, trial.action, limit,
             [&](std::span<const Token> window, std::span<const Commit> commits) {
               note(window, ++seen_passes);
               return !observer ||
                      observer({trial, action.model, setup_.lexicon_of(state), window, commits});
             });
  note(state.cells, passes);
  state.steps_left = 0;
  walk.path.push_back(std::move(state));
  walk.passes_at.push_back(passes);
  walk.passes = passes;
  walk.equivalents = passes;
  walk.complete = finished;
  return walk;
}

WindowBranching Walker::branch(const Trial& trial, const WindowState& from, int children,
                               const WalkObserver& observer) {
  const Action& action = setup_.actions()[trial.action];
  const auto& [model, tokenizer, prompt] = setup_.participants()[action.model];
  if (!action.others.empty()) throw Error("several models cannot complete a window in one pass");
  if (!is_exact(action)) throw Error("anchor= is for walks; this search branches at every pass");
  if (action.grow || action.remask != Remask::kNone)
    throw Error(
        "this search completes the whole window in every pass, one mask less each time; it "
        "needs grow=false and remask=none");
  if (model->info().block != 0)
    throw Error(fmt::format("{} decodes in blocks and cannot complete a window in one pass",
                            model->info().name));
  const std::optional<WindowState> start = setup_.enter(from, trial.action);
  if (!start) return {.feasible = false};
  if (memo_ != nullptr) memo_->count_passes(1);
  const auto open = setup_.active_range(start->cells, action);
  const Drafts drafts = draft_children(*model, prompt, start->cells, action, trial.action,
                                       open.begin, open.end, children);
  WindowState full = *start;
  full.steps_left = 0;
  for (const Commit& commit : drafts.completion) full.cells[commit.cell] = commit.token;
  WindowBranching result;
  std::vector<Commit> drawn;
  for (const std::vector<Commit>& commits : drafts.children) {
    auto& [child, completion] = result.branches.emplace_back(*start, full);
    child.steps_left = 0;
    for (const auto& [cell, token] : commits) child.cells[cell] = completion.cells[cell] = token;
    drawn.insert(drawn.end(), commits.begin(), commits.end());
  }
  if (observer)
    result.interrupted =
        !observer({trial, action.model, setup_.lexicon_of(*start), start->cells, drawn});
  return result;
}

Walker::Progress Walker::step(WindowState& state, Way& way) const {
  const Action& action = way.action;
  const Participant& participant = setup_.participants()[action.model];
  const ModelInfo& model = participant.model->info();
  const auto range = setup_.active_range(state.cells, action);
  const int steps_left = state.steps_left > 0 ? state.steps_left : range.masks;
  const int masks = setup_.masks_in(state), before = static_cast<int>(participant.prompt.size());
  StepRule rule{.begin = range.begin,
                .end = range.end,
                .count = 1,
                .share = 1.0f / static_cast<float>(steps_left),
                .steps_left = steps_left,
                .time = state_time(masks, setup_.options().window),
                .to_checkpoint = masks - next_target(setup_.targets(), masks)};
  if (edits(action)) rule.edit_from = block_begin(model, before, range.begin);
  const Progress progress = pass(state, way, rule, range.masks).progress;
  return edits(action) && progress == Progress::kOn ? edit_block(state, way, rule) : progress;
}

// A full block is edited before the next is begun, so that a state is its tokens and nothing else.
Walker::Progress Walker::edit_block(WindowState& state, Way& way, StepRule rule) const {
  const Participant& participant = setup_.participants()[way.action.model];
  const ModelInfo& model = participant.model->info();
  const int before = model.blocks_begin(static_cast<int>(participant.prompt.size()));
  const int end = (before + rule.edit_from) / model.block * model.block + model.block - before;
  rule.begin = rule.end = std::min(end, static_cast<int>(state.cells.size()));
  const auto block = std::span(state.cells).subspan(rule.edit_from, rule.end - rule.edit_from);
  way.editing = std::ranges::find(block, model.tokens.mask) == block.end();
  Progress progress = Progress::kOn;
  for (int i = 0; i < kMostEditingPasses && way.editing && way.walk.passes < way.limit; ++i) {
    const Passed passed = pass(state, way, rule, 0);
    progress = passed.progress;
    way.editing = passed.changed && i + 1 < kMostEditingPasses;
    if (progress != Progress::kOn) break;
  }
  return progress;
}

Walker::Passed Walker::pass(WindowState& state, Way& way, const StepRule& rule, int masks) const {
  const Action& action = way.action;
  const Participant& participant = setup_.participants()[action.model];
  AnchoredModel* const anchored = way.passes.anchored(action.model, *participant.model, action);
  const std::vector<Commit> commits =
      action.remask == Remask::kP2 ? replan(*participant.model, participant.prompt, state.cells,
                                            action, way.trial.action, masks - 1, rule.time)
                                   : denoise(*participant.model, participant.prompt, state.cells,
                                             action, way.trial.action, rule, anchored);
  way.passes.count(anchored);
  way.walk.passes = way.passes.spent();
  for (const auto& [cell, token] : commits) {
    state.cells[cell] = token;
    way.walk.writes.push_back({way.passes.made(), cell, token, action.model, state.lexicon});
  }
  // Origin spends as many passes on a range as it has masks; with the last mask the rest is
  // dropped.
  const bool unfinished = std::cmp_less(commits.size(), masks);
  state.steps_left = action.strategy == Strategy::kOrigin && unfinished ? rule.steps_left - 1 : 0;
  setup_.sign(state, action.model);
  const Pass pass{way.trial, action.model, setup_.lexicon_of(state), state.cells, commits};
  const bool on = !way.observer || way.observer(pass);
  return {on ? Progress::kOn : Progress::kStopped, !commits.empty()};
}

Walker::Progress Walker::step_together(WindowState& state, Way& way) const {
  if (way.writers.empty()) {
    for (int cell = 0; std::cmp_less(cell, state.cells.size()); ++cell)
      way.writers.push_back(~cell);
  }
  const WindowState before = state;
  const auto recut = [&](const WindowState& window) {
    return window.lexicon == before.lexicon
               ? way.writers
               : carried_over(way.writers, before.cells, setup_.lexicon_of(before), window.cells,
                              setup_.lexicon_of(window));
  };
  const auto show = [&](int model, const WindowState& window,
                        const std::vector<SignedCommit>& written) {
    if (!way.observer) return true;
    std::vector<Commit> commits;
    std::vector<int> writers = recut(window);
    for (const auto& [commit, author] : written) {
      commits.push_back(commit);
      writers[commit.cell] = author;
    }
    return way.observer(
        {way.trial, model, setup_.lexicon_of(window), window.cells, commits, writers});
  };
  Walk& walk = way.walk;
  const Turn turn =
      take_turn(setup_, state, way.action, way.trial.action, way.limit, show, way.passes);
  walk.passes = way.passes.spent();
  if (turn.commits.empty()) return Progress::kCut;
  way.writers = recut(state);
  for (const auto& [commit, author] : turn.commits) {
    way.writers[commit.cell] = author;
    walk.writes.push_back({way.passes.made(), commit.cell, commit.token, author, state.lexicon});
  }
  return turn.stopped ? Progress::kStopped : Progress::kOn;
}

// The first mask becomes the end of text: invisible behind the end that is already there.
Walker::Progress Walker::fill_behind(WindowState& state, Way& way) const {
  const SpecialTokens& tokens = setup_.lexicon_of(state).tokens;
  const auto mask = std::ranges::find(state.cells, tokens.mask);
  const auto cell = static_cast<int>(mask - state.cells.begin());
  const int author = way.walk.writes.empty() ? way.action.model : way.walk.writes.back().model;
  *mask = tokens.end_of_text;
  state.steps_left = 0;
  ++way.walk.spared;
  way.walk.writes.push_back({way.passes.made(), cell, tokens.end_of_text, author, state.lexicon});
  return Progress::kOn;
}

}  // namespace umf
