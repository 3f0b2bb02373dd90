#include "search/ab_mcts_m.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/elementary.h"
#include "base/error.h"
#include "search/forecast.h"
#include "search/hierarchical_model.h"

namespace umf {

bool prunable(const std::vector<double>& scores) {
  if (scores.size() < 4) return false;
  std::map<int, int> counts;  // by whole percent
  int most = 0;
  for (const double score : scores) {
    most = std::max(most, ++counts[static_cast<int>(std::nearbyint(100 * score))]);
  }
  return most >= 0.75 * scores.size();
}

std::optional<int> winning_child(const std::vector<double>& values, const std::vector<bool>& pruned,
                                 std::optional<double> generating) {
  int best = 0;
  std::optional<int> best_kept;
  for (int i = 0; i < values.size(); ++i) {
    if (values[i] > values[best]) best = i;
    if (!pruned[i] && (!best_kept || values[i] > values[*best_kept])) best_kept = i;
  }
  if (generating && *generating > values[best]) return std::nullopt;
  return best_kept || generating ? best_kept : best;
}

AbMctsM::AbMctsM(Place root, int actions, std::uint64_t seed, const AbMctsMOptions& options)
    : AbSearch(root, actions, seed), options_(options), strategy_(parse(options.strategy)) {}

AbMctsM::Strategy AbMctsM::parse(const std::string& name) {
  if (name == "multiarm_bandit_thompson") return Strategy::kThompson;
  if (name == "multiarm_bandit_ucb") return Strategy::kUcb;
  if (name == "stack") return Strategy::kStack;
  throw Error(
      fmt::format("unknown strategy '{}' of ab-mcts-m; known are multiarm_bandit_thompson, "
                  "multiarm_bandit_ucb and stack",
                  name));
}

void AbMctsM::learn(int node) {
  const Observation seen{tree()[node].score, tree()[node].action};
  subtree_.emplace_back();
  for (int at = node; at >= 0; at = tree()[at].parent) subtree_[at].push_back(seen);
}

AbChoice AbMctsM::choose(int node, Draws& draws) const {
  return strategy_ == Strategy::kStack ? choose_stacked(node, draws) : choose_jointly(node, draws);
}

// First whether to generate, with one model for all actions; then with which.
AbChoice AbMctsM::choose_jointly(int node, Draws& draws) const {
  const std::vector<int>& children = tree()[node].children;
  std::vector<int> open;  // indices of children
  for (int i = 0; i < children.size(); ++i) {
    if (tree().open(children[i])) open.push_back(i);
  }
  if (open.empty()) return AbChoice::generate(choose_action(node, draws));

  // Children at the last checkpoint are no candidates, but their scores tell what generating is
  // worth.
  const HierarchicalModel model = fit_children(node);
  std::vector<double> values;
  std::vector<bool> is_pruned;
  for (const int i : open) {
    values.push_back(model.draw(i, draws));
    is_pruned.push_back(pruned(children[i]));
  }
  std::optional<double> generating;
  if (tree().can_generate(node)) generating = model.draw_unseen(draws);
  const std::optional<int> winner = winning_child(values, is_pruned, generating);
  return winner ? AbChoice::go_to(children[open[*winner]])
                : AbChoice::generate(choose_action(node, draws));
}

// One model per action, over that action's scores alone; each offers its children and to generate.
// A child with scores of several actions takes the draw of the last of them, as published.
AbChoice AbMctsM::choose_stacked(int node, Draws& draws) const {
  const std::vector<int>& children = tree()[node].children;
  std::map<int, double> values;  // by child
  std::vector<Option> options;
  for (int action = 0; action < actions(); ++action) {
    const HierarchicalModel model = fit_children(node, action);
    for (int i = 0; i < children.size(); ++i) {
      const bool seen = !scores(children[i], action).empty();
      if (seen && tree().open(children[i])) values[children[i]] = model.draw(i, draws);
    }
    const std::vector<int>& usable = tree()[node].usable;
    if (std::count(usable.begin(), usable.end(), action) > 0) {
      options.push_back({AbChoice::generate(action), model.draw_unseen(draws)});
    }
  }
  for (const auto& [child, value] : values) options.push_back({AbChoice::go_to(child), value});
  const auto better = [](const Option& a, const Option& b) { return a.value > b.value; };
  std::stable_sort(options.begin(), options.end(), better);
  for (const Option& option : options) {
    if (option.choice.child < 0 || !pruned(option.choice.child)) return option.choice;
  }
  return options.front().choice;
}

int AbMctsM::choose_action(int node, Draws& draws) const {
  const std::vector<int>& usable = tree()[node].usable;
  if (usable.size() == 1) return usable.front();
  return strategy_ == Strategy::kUcb ? ucb_action(usable) : thompson_action(usable, draws);
}

// The same model with actions as groups, over the whole tree.
int AbMctsM::thompson_action(const std::vector<int>& usable, Draws& draws) const {
  if (subtree_[0].empty()) return usable[draws.below(static_cast<int>(usable.size()))];
  std::vector<Group> groups;
  for (int action = 0; action < actions(); ++action) groups.push_back(summarise(scores(0, action)));
  const HierarchicalModel model(groups);
  int best = -1;
  double best_value = 0;
  for (const int action : usable) {
    const double value = model.draw(action, draws);
    if (best < 0 || value > best_value) best = action, best_value = value;
  }
  return best;
}

int AbMctsM::ucb_action(const std::vector<int>& usable) const {
  const double total = static_cast<double>(subtree_[0].size());
  int best = -1;
  double best_value = 0;
  for (const int action : usable) {
    const Group seen = summarise(scores(0, action));
    if (seen.count == 0) return action;
    const double value =
        seen.mean + std::sqrt(2.0) * std::sqrt(elementary::log(total) / seen.count);
    if (best < 0 || value > best_value) best = action, best_value = value;
  }
  return best;
}

std::vector<double> AbMctsM::scores(int node, int action) const {
  std::vector<double> chosen;
  for (const Observation& seen : subtree_[node]) {
    if (action == kAnyAction || seen.action == action) chosen.push_back(seen.score);
  }
  return chosen;
}

HierarchicalModel AbMctsM::fit_children(int node, int action) const {
  std::vector<Group> groups;
  for (const int child : tree()[node].children) groups.push_back(summarise(scores(child, action)));
  return HierarchicalModel(groups, options_.prior_mean);
}

bool AbMctsM::pruned(int child) const { return options_.pruning && prunable(scores(child)); }

std::vector<Foreseen> AbMctsM::forecast(const Outlook& outlook,
                                        const ForecastOptions& options) const {
  return guess(*this, outlook, options);
}

}  // namespace umf
