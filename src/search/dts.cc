#include "search/dts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/elementary.h"
#include "base/error.h"
#include "base/random.h"
#include "search/forecast.h"

namespace umf {
namespace {

void need(bool holds, const char* field, double value, const char* range) {
  if (!holds) throw Error(fmt::format("dts {} is {}; it must be {}", field, value, range));
}

// How many children a node may have after `visits` (progressive widening).
int allowed_children(int visits, const DtsOptions& options) {
  const double allowed = options.widening * elementary::pow(visits, options.widening_power);
  return static_cast<int>(std::clamp(std::floor(allowed), 1.0, 1e9));
}

}  // namespace

void check(const DtsOptions& options) {
  need(options.widening > 0, "widening", options.widening, "above 0");
  need(options.widening_power >= 0 && options.widening_power <= 1, "widening-power",
       options.widening_power, "between 0 and 1");
  need(options.lambda >= 0 && std::isfinite(options.lambda), "lambda", options.lambda, "0 or more");
  need(options.exploration >= 0, "exploration", options.exploration, "0 or more");
}

double soft_value(const std::vector<double>& values, double lambda) {
  const double most = *std::max_element(values.begin(), values.end());
  // Relative to the maximum nothing overflows, and expm1 and log1p keep small lambdas exact.
  double sum = 0;
  for (const double value : values)
    sum += lambda > 0 ? elementary::expm1(lambda * (value - most)) : value - most;
  const double mean = sum / values.size();
  return most + (lambda > 0 ? elementary::log1p(mean) / lambda : mean);
}

Dts::Dts(Place root, int action, std::uint64_t seed, const DtsOptions& options)
    : action_(action), seed_(seed), options_(options) {
  check(options);
  const bool nothing_to_do = root.masks == 0;
  tree_.push_back({.place = root, .terminal = nothing_to_do, .exhausted = nothing_to_do});
}

std::optional<Trial> Dts::ask() {
  while (!pending_ && !tree_[0].exhausted) {
    const int node = select();
    if (tree_[node].terminal) {
      tree_[node].exhausted = true;
      ++tree_[node].visits;
      back_up(tree_[node].parent);
    } else {
      expanded_ = node;
      pending_ = expansion(node);
    }
  }
  return pending_;
}

void Dts::tell(const Trial&, const Outcome& outcome) {
  pending_.reset();
  if (!outcome.feasible || outcome.path.empty()) {
    tree_[expanded_].closed = true;
    for (int node = expanded_; node >= 0; node = tree_[node].parent) refresh(tree_[node]);
    return;
  }
  int node = expanded_;
  for (const Place place : outcome.path) node = add(node, place);
  tree_[node].terminal = true;
  tree_[node].value = bounded(outcome.reward);
  back_up(tree_[node].parent);
}

int Dts::select() const {
  int node = 0;
  while (!tree_[node].terminal && full(tree_[node])) node = best_child(tree_[node]);
  return node;
}

bool Dts::full(const DtsNode& node) const {
  return node.closed ||
         static_cast<int>(node.children.size()) >= allowed_children(node.visits, options_);
}

// Ties go to the child that was drawn first.
int Dts::best_child(const DtsNode& node) const {
  int best = -1;
  double best_score = 0;
  for (const int id : node.children) {
    const DtsNode& child = tree_[id];
    if (child.exhausted) continue;
    const double bonus = std::sqrt(elementary::log(node.visits) / child.visits);
    const double score = child.value + options_.exploration * bonus;
    if (best < 0 || score > best_score) best = id, best_score = score;
  }
  return best;
}

// Noise keyed by (seed, node, child index): the tree, not the order of the calls, decides what is
// drawn. 0 would be the noise of the state.
Trial Dts::expansion(int node) const {
  const Token child = static_cast<Token>(tree_[node].children.size());
  const std::uint64_t draw = noise_key(seed_, node, {&child, 1}).low;
  return {tree_[node].place.state, action_, std::max<std::uint64_t>(draw, 1)};
}

int Dts::add(int parent, Place place) {
  const int id = nodes(), level = tree_[parent].level + 1;
  tree_.push_back({.place = place, .parent = parent, .level = level});
  tree_[parent].children.push_back(id);
  depth_ = std::max(depth_, level);
  return id;
}

void Dts::back_up(int node) {
  for (; node >= 0; node = tree_[node].parent) {
    ++tree_[node].visits;
    std::vector<double> values;
    for (const int child : tree_[node].children) values.push_back(tree_[child].value);
    tree_[node].value = soft_value(values, options_.lambda);
    refresh(tree_[node]);
  }
}

// Whether a node is full changes with its visits alone, so it is enough to look along the path
// backed up.
void Dts::refresh(DtsNode& node) {
  const auto exhausted = [this](int child) { return tree_[child].exhausted; };
  node.exhausted = full(node) && std::all_of(node.children.begin(), node.children.end(), exhausted);
}

std::vector<Foreseen> Dts::forecast(const Outlook& outlook, const ForecastOptions& options) const {
  return guess(*this, outlook, options);
}

}  // namespace umf
