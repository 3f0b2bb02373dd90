#include "search/ab_mcts_a.h"

#include <fmt/format.h>

#include "base/error.h"
#include "search/forecast.h"

namespace umf {
namespace {

// The option of the largest value; a later one wins only if it is strictly greater.
template <class Value>
int best_of(const std::vector<int>& options, Value&& value) {
  int best = options.front();
  double most = value(best);
  for (int i = 1; i < options.size(); ++i) {
    const double now = value(options[i]);
    if (now > most) best = options[i], most = now;
  }
  return best;
}

}  // namespace

AbMctsA::AbMctsA(Place root, int actions, std::uint64_t seed, const AbMctsAOptions& options)
    : AbSearch(root, actions, seed), beta_(options.family == "beta"), by_action_(actions) {
  if (!beta_ && options.family != "gaussian") {
    throw Error(fmt::format("unknown family '{}' of ab-mcts-a; known are gaussian and beta",
                            options.family));
  }
}

AbChoice AbMctsA::choose(int node, Draws& draws) const {
  const std::vector<int> open = tree().open_children(node);
  const bool deeper = !open.empty() && (!tree().can_generate(node) || goes_deeper(node, draws));
  return deeper ? AbChoice::go_to(choose_child(open, draws))
                : AbChoice::generate(choose_action(node, draws));
}

bool AbMctsA::goes_deeper(int node, Draws& draws) const {
  const double generating = draw(beliefs_[node].generating, draws);
  return draw(beliefs_[node].continuing, draws) > generating;
}

int AbMctsA::choose_child(const std::vector<int>& open, Draws& draws) const {
  return best_of(open, [&](int child) { return draw(beliefs_[child].itself, draws); });
}

int AbMctsA::choose_action(int node, Draws& draws) const {
  const std::vector<int>& usable = tree()[node].usable;
  if (usable.size() == 1) return usable.front();
  return best_of(usable, [&](int action) { return draw(by_action_[action], draws); });
}

// The parent learns what generating gave; only the nodes above it learn that continuing did.
void AbMctsA::learn(int node) {
  const double score = tree()[node].score;
  const int parent = tree()[node].parent;
  beliefs_.emplace_back();
  by_action_[tree()[node].action].observe(score);
  beliefs_[node].itself.observe(score);
  beliefs_[parent].generating.observe(score);
  for (int at = parent; tree()[at].parent >= 0; at = tree()[at].parent) {
    beliefs_[at].itself.observe(score);
    beliefs_[tree()[at].parent].continuing.observe(score);
  }
}

double AbMctsA::draw(const ScorePosterior& posterior, Draws& draws) const {
  return beta_ ? posterior.beta().draw(draws) : posterior.gaussian().draw(draws);
}

std::vector<Foreseen> AbMctsA::forecast(const Outlook& outlook,
                                        const ForecastOptions& options) const {
  return guess(*this, outlook, options);
}

}  // namespace umf
