#include "search/odds.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "search/forecast.h"

namespace umf {
namespace {

int thirds(double reward) { return std::min(static_cast<int>(bounded(reward) * 3), 2); }

CandidateKind kind_of(Opening::Kind kind) {
  switch (kind) {
    case Opening::Kind::kNamed:
      return CandidateKind::kNamed;
    case Opening::Kind::kLine:
      return CandidateKind::kLine;
    case Opening::Kind::kBorrowed:
      return CandidateKind::kBorrowed;
    case Opening::Kind::kSuffix:
      break;
  }
  return CandidateKind::kSuffix;
}

const OddsOptions& checked(const OddsOptions& options) {
  if (options.order != "odds" && options.order != "random" && options.order != "age")
    throw Error(fmt::format("odds order is '{}'; it must be odds, random or age", options.order));
  if (options.depth < 0)
    throw Error(fmt::format("odds depth must be 0 or more, not {}", options.depth));
  return options;
}

}  // namespace

Odds::Odds(const SearchSetup& setup)
    : actions_(setup.actions),
      seed_(setup.seed),
      options_(checked(setup.options.of<Odds>())),
      table_(options_.table.empty() ? OddsTable() : OddsTable::load(options_.table)),
      paces_(setup.actions) {
  if (options_.dovetail)
    other_.emplace(setup.actions, setup.root, setup.options.of<UnMaskFork>(), *setup.cache,
                   setup.first_action);
  if (setup.root.masks == 0) return;
  for (int action = 0; action < actions_; ++action)
    add(setup.root.state, setup.root.masks, {.kind = CandidateKind::kWhole, .to = action}, 0);
}

void Odds::add(StateId from, int masks, const CandidateTraits& traits, int depth) {
  if (!known_.insert({from, traits.to}).second) return;
  candidates_.push_back({.trial = {from, traits.to},
                         .traits = traits,
                         .masks = masks,
                         .depth = depth,
                         .probability = table_.probability(traits)});
}

double Odds::score(const Candidate& candidate, std::size_t number) const {
  if (options_.order == "age") return 0;
  if (options_.order == "random") {
    // Whole answers first there, too: what follows departs from them.
    const double whole = candidate.traits.kind == CandidateKind::kWhole ? 1 : 0;
    const auto word = noise_word(noise_key(seed_, number, {}), 0, 0);
    return whole + static_cast<double>(open_unit(word));
  }
  const Pace& pace = paces_[candidate.trial.action];
  const double passes = std::max(1.0, candidate.masks * pace.passes / pace.masks);
  return candidate.probability / passes;
}

std::optional<std::size_t> Odds::best() const {
  std::optional<std::size_t> best;
  double best_score = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].done) continue;
    const double challenge = score(candidates_[i], i);
    if (best && challenge <= best_score) continue;
    best = i;
    best_score = challenge;
  }
  return best;
}

std::optional<Trial> Odds::ask() {
  if (others_turn_ && other_) {
    if (const std::optional<Trial> trial = other_->ask()) return trial;
    other_.reset();
  }
  others_turn_ = false;
  if (!asked_) asked_ = best();
  if (!asked_) return std::nullopt;
  return candidates_[*asked_].trial;
}

void Odds::tell(const Trial& trial, const Outcome& outcome) {
  ++told_;
  const bool paid = outcome.feasible && !outcome.cached;
  if (others_turn_) {
    other_->tell(trial, outcome);
    known_.insert({trial.from, trial.action});
    if (paid) others_turn_ = false;
    return;
  }
  const std::size_t number = *std::exchange(asked_, std::nullopt);
  candidates_[number].done = true;
  others_turn_ = paid && other_.has_value();
  if (!outcome.feasible) return;
  const Candidate candidate = candidates_[number];
  deepest_ = std::max(deepest_, candidate.depth + 1);
  learn(candidate, outcome);
}

void Odds::learn(const Candidate& from, const Outcome& outcome) {
  if (outcome.complete && !outcome.cached) {
    paces_[from.trial.action].masks += from.masks;
    paces_[from.trial.action].passes += outcome.passes;
  }
  const int reward = thirds(outcome.reward);
  const auto for_others = [&](StateId state, int masks, CandidateTraits traits, int depth) {
    traits.from = from.trial.action;
    traits.reward = reward;
    for (traits.to = 0; traits.to < actions_; ++traits.to) {
      if (traits.to != traits.from) add(state, masks, traits, depth);
    }
  };
  for (std::size_t i = 0; i + 1 < outcome.path.size(); ++i) {
    for_others(outcome.path[i].state, outcome.path[i].masks,
               {.kind = CandidateKind::kSwitch, .level = static_cast<int>(i)}, from.depth);
  }
  if (from.depth >= options_.depth) return;
  for (const Opening& opening : outcome.openings)
    for_others(opening.place.state, opening.place.masks, {.kind = kind_of(opening.kind)},
               from.depth + 1);
}

std::vector<Foreseen> Odds::forecast(const Outlook& outlook, const ForecastOptions& options) const {
  return guess(*this, outlook, options);
}

}  // namespace umf
