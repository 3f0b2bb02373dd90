#include "decode/walker.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "base/random.h"
#include "decode/branching.h"
#include "decode/remasking.h"
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
    // As this walker counts them: the one that made the walk may know other lexicons.
    for (WindowState& state : walk.path) state.lexicon = start->lexicon;
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
  key.append(reinterpret_cast<const char*>(start.cells.data()), start.cells.size() * sizeof(Token));
  return key;
}

Walk Walker::walk_anew(const Trial& trial, WindowState state, int limit,
                       const WalkObserver& observer) {
  const Action action = drawn(setup_.actions()[trial.action], trial.draw);
  if (action.remask != Remask::kNone)
    return remask_from(std::move(state), trial, action, limit, observer);
  Walk walk;
  int masks = setup_.masks_in(state);
  bool at_checkpoint = false, going = true;
  while (masks > 0 && going) {
    const bool settled = setup_.options().closed_text && setup_.closed(state);
    if (!settled && walk.passes == limit) break;
    const int target = next_target(setup_.targets(), masks);
    const std::vector<Commit> commits =
        settled ? std::vector{fill_behind(state)} : step(state, action, trial.action);
    ++(settled ? walk.spared : walk.passes);
    for (const auto& [cell, token] : commits) walk.writes.push_back({walk.passes, cell, token});
    masks = setup_.masks_in(state);
    at_checkpoint = masks <= target;
    if (at_checkpoint) walk.path.push_back(state);
    if (observer && !settled) going = observer({trial, state.cells, commits});
  }
  if (!at_checkpoint) walk.path.push_back(state);
  walk.complete = masks == 0;
  return walk;
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
        walk.writes.push_back({pass, cell, seen[cell] = window[cell]});
    }
  };
  int seen_passes = 0;
  const auto [passes, finished] =
      remask(*participant.model, participant.prompt, state.cells, action, trial.action, limit,
             [&](std::span<const Token> window, std::span<const Commit> commits) {
               note(window, ++seen_passes);
               return !observer || observer({trial, window, commits});
             });
  note(state.cells, passes);
  state.steps_left = 0;
  walk.path.push_back(std::move(state));
  walk.passes = passes;
  walk.complete = finished;
  return walk;
}

WindowBranching Walker::branch(const Trial& trial, const WindowState& from, int children,
                               const WalkObserver& observer) {
  const auto& [model, tokenizer, prompt] = setup_.participant_of(trial.action);
  if (model->info().block != 0)
    throw Error(fmt::format("{} decodes in blocks and cannot complete a window in one pass",
                            model->info().name));
  const std::optional<WindowState> start = setup_.enter(from, trial.action);
  if (!start) return {.feasible = false};
  if (memo_ != nullptr) memo_->count_passes(1);
  const auto open = setup_.active_range(start->cells, trial.action);
  const Drafts drafts = draft_children(*model, prompt, start->cells, setup_.actions()[trial.action],
                                       trial.action, open.begin, open.end, children);
  WindowState full = *start;
  full.steps_left = 0;
  for (const Commit& commit : drafts.completion) full.cells[commit.cell] = commit.token;
  WindowBranching result;
  for (const Commit& commit : drafts.children) {
    auto& [child, completion] = result.branches.emplace_back(*start, full);
    child.steps_left = 0;
    child.cells[commit.cell] = completion.cells[commit.cell] = commit.token;
  }
  if (observer) result.interrupted = !observer({trial, start->cells, drafts.children});
  return result;
}

std::vector<Commit> Walker::step(WindowState& state, const Action& action, int index) const {
  const Participant& participant = setup_.participant_of(index);
  const auto range = setup_.active_range(state.cells, index);
  const int steps_left = state.steps_left > 0 ? state.steps_left : range.masks;
  const StepRule rule{.begin = range.begin,
                      .end = range.end,
                      .count = 1,
                      .share = 1.0f / static_cast<float>(steps_left),
                      .steps_left = steps_left,
                      .time = state_time(setup_.masks_in(state), setup_.options().window)};
  const std::vector<Commit> commits =
      denoise(*participant.model, participant.prompt, state.cells, action, index, rule);
  for (const Commit& commit : commits) state.cells[commit.cell] = commit.token;
  // Origin spends as many passes on a range as it has masks; with the last mask the rest is
  // dropped.
  const bool unfinished = std::cmp_less(commits.size(), range.masks);
  state.steps_left = action.strategy == Strategy::kOrigin && unfinished ? steps_left - 1 : 0;
  return commits;
}

// The first mask becomes the end of text: invisible behind the end that is already there.
Commit Walker::fill_behind(WindowState& state) const {
  const SpecialTokens& tokens = setup_.lexicon_of(state).tokens;
  const auto mask = std::find(state.cells.begin(), state.cells.end(), tokens.mask);
  *mask = tokens.end_of_text;
  state.steps_left = 0;
  return {static_cast<int>(mask - state.cells.begin()), tokens.end_of_text};
}

}  // namespace umf
