#include "bench/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace umf {
namespace {

constexpr const char* kRules[] = {"one",     "tau:0.999", "tau:0.99",    "tau:0.95",
                                  "tau:0.9", "tau:0.8",   "frechet:0.25"};
constexpr const char* kEnsembleRules[] = {"tau:0.999", "tau:0.99", "tau:0.95"};

// Exact, without a division: the products of a data set fit a long by far.
bool more_per_pass(const Score& a, const Score& b) {
  return a.count() * b.passes > b.count() * a.passes;
}

// Of rules that are as good: `one` is the most careful of all.
bool more_careful(const CommitRule& a, const CommitRule& b) {
  const auto care = [](const CommitRule& rule) {
    return std::pair(rule.kind == CommitRule::Kind::kOne, rule.bound);
  };
  return care(a) > care(b);
}

class Chooser {
 public:
  Chooser(std::span<const TunedAction> actions, const Scores& scores, double loss)
      : actions_(actions), scores_(scores), loss_(loss) {
    assert(actions_.size() == scores_.of.size());
  }

  // `one` and the rules behind it, up to the next model.
  int rule_from(int one) const {
    int best = one;
    for (int i = one + 1; i < std::ssize(actions_) && actions_[i].models == actions_[one].models;
         ++i) {
      if (within_loss(i, one) && cheaper(i, best)) best = i;
    }
    return best;
  }

  // `rest` are the passes of what follows where it fails, on all problems.
  int ensemble_of(Ensemble kind, long rest) const {
    int best = -1;
    for (int i = 0; i < std::ssize(actions_); ++i) {
      if (actions_[i].ensemble != kind) continue;
      if (best < 0 || expected_passes(i, rest) < expected_passes(best, rest)) best = i;
    }
    return best;
  }

 private:
  const Score& score(int action) const { return scores_.of[action]; }
  bool within_loss(int rule, int one) const {
    const double lost = 100.0 * (score(one).count() - score(rule).count());
    return lost <= loss_ * scores_.problems + 1e-9;
  }
  bool cheaper(int a, int b) const {
    if (score(a).passes != score(b).passes) return score(a).passes < score(b).passes;
    if (score(a).count() != score(b).count()) return score(a).count() > score(b).count();
    return more_careful(actions_[a].commit, actions_[b].commit);
  }
  // Times the number of problems, so that it is exact.
  long expected_passes(int action, long rest) const {
    const long failed = scores_.problems - score(action).count();
    return score(action).passes * scores_.problems + failed * rest;
  }

  std::span<const TunedAction> actions_;
  const Scores& scores_;
  double loss_;
};

// The most solved per pass first; equals stay as they are.
void sort_by_yield(std::vector<int>& actions, const Scores& scores) {
  std::ranges::stable_sort(actions,
                           [&](int a, int b) { return more_per_pass(scores.of[a], scores.of[b]); });
}

// Nothing where one of the configurations has no verdict.
std::vector<const Result*> results_of(const Manifest& manifest, const std::string& id,
                                      const std::map<ResultKey, Result>& results) {
  std::vector<const Result*> row;
  for (const Manifest::Entry& entry : manifest.configurations) {
    const auto found = results.find({id, entry.name, entry.budgets.back(), entry.seed});
    if (found == results.end() || !found->second.settled()) return {};
    row.push_back(&found->second);
  }
  return row;
}

}  // namespace

std::string TunedAction::name() const {
  std::string rule = name_of(commit);
  std::ranges::replace(rule, ':', '-');
  return fmt::format("{}-{}", ensemble == Ensemble::kNone ? models : name_of(ensemble), rule);
}

std::string TunedAction::text() const {
  if (ensemble == Ensemble::kNone)
    return fmt::format("model={},commit={}", models, name_of(commit));
  return fmt::format("models={},rule={},commit={}", models, name_of(ensemble), name_of(commit));
}

std::vector<TunedAction> actions_to_measure(const std::vector<std::string>& models) {
  std::vector<TunedAction> actions;
  for (const std::string& model : models) {
    for (const char* rule : kRules)
      actions.push_back({model, Ensemble::kNone, parse_commit_rule(rule)});
  }
  if (models.size() < 2) return actions;
  const std::string all = fmt::format("{}", fmt::join(models, "+"));
  for (const Ensemble ensemble : {Ensemble::kRelay, Ensemble::kPoll}) {
    for (const char* rule : kEnsembleRules)
      actions.push_back({all, ensemble, parse_commit_rule(rule)});
  }
  return actions;
}

Paired pair_up(const Score& first, const Score& second) {
  assert(first.solved.size() == second.solved.size());
  Paired pairs;
  for (std::size_t i = 0; i < first.solved.size(); ++i) {
    const bool one = first.solved[i], other = second.solved[i];
    ++(one ? (other ? pairs.both : pairs.only_first) : (other ? pairs.only_second : pairs.neither));
  }
  return pairs;
}

int Score::count() const { return static_cast<int>(std::ranges::count(solved, true)); }

bool better(const Score& a, const Score& b) {
  return a.count() != b.count() ? a.count() > b.count() : a.passes < b.passes;
}

Scores scores_of(const Manifest& manifest, const std::map<ResultKey, Result>& results) {
  Scores scores;
  scores.of.resize(manifest.configurations.size());
  for (const std::string& id : manifest.ids) {
    const std::vector<const Result*> row = results_of(manifest, id, results);
    ++(row.empty() ? scores.left_out : scores.problems);
    for (std::size_t i = 0; i < row.size(); ++i) {
      Score& score = scores.of[i];
      const bool visible = row[i]->reward.value_or(0) >= 1;
      score.solved.push_back(row[i]->passed.value_or(visible));
      score.visible += visible;
      score.passes += row[i]->nfe;
      score.spared += row[i]->spared_nfe;
    }
  }
  return scores;
}

TunedChoice choose_actions(std::span<const TunedAction> actions, const Scores& scores,
                           double loss) {
  const Chooser chooser(actions, scores, loss);
  TunedChoice choice;
  for (int i = 0; i < std::ssize(actions); ++i) {
    if (actions[i].commit.kind != CommitRule::Kind::kOne) continue;
    choice.rules.push_back(chooser.rule_from(i));
    if (better(scores.of[i], scores.of[choice.best_model])) choice.best_model = i;
  }
  sort_by_yield(choice.rules, scores);
  long rest = 0;
  for (const int rule : choice.rules) rest += scores.of[rule].passes;
  for (const Ensemble ensemble : {Ensemble::kRelay, Ensemble::kPoll}) {
    const int best = chooser.ensemble_of(ensemble, rest);
    if (best >= 0) choice.ensembles.push_back(best);
  }
  return choice;
}

bool pays_alone(const Score& ensemble, const Score& best_model) {
  return ensemble.count() >= best_model.count() && ensemble.passes <= best_model.passes;
}

std::vector<TunedSearch> searches_to_measure(std::span<const TunedAction> actions,
                                             const Scores& scores, const TunedChoice& choice) {
  if (choice.rules.size() == 1) {
    std::vector<int> others(actions.size());
    std::iota(others.begin(), others.end(), 0);
    std::erase(others, choice.rules.front());
    sort_by_yield(others, scores);
    others.insert(others.begin(), choice.rules.front());
    // A tree grows with the power of its actions, also where nothing new is found.
    if (others.size() > 3) others.resize(3);
    return {{"one-rule", choice.rules}, {"three-rules", others}};
  }
  std::vector<TunedSearch> searches = {{"models", choice.rules}};
  for (const int ensemble : choice.ensembles) {
    TunedSearch search{fmt::format("{}-models", name_of(actions[ensemble].ensemble)), {ensemble}};
    search.actions.insert(search.actions.end(), choice.rules.begin(), choice.rules.end());
    searches.push_back(std::move(search));
  }
  return searches;
}

int best_search(const Scores& scores) {
  int best = 0;
  for (int i = 1; i < std::ssize(scores.of); ++i) {
    if (better(scores.of[i], scores.of[best])) best = i;
  }
  return best;
}

}  // namespace umf
