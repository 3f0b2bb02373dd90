#include "decode/anchored_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"

namespace umf {

AnchoredModel::AnchoredModel(Model& model, const Action& action)
    : model_(model), rule_(action.anchor), factor_(action.active), anchor_(model.make_anchor()) {
  if (!anchor_) throw Error(fmt::format("{} computes whole passes alone", model.info().name));
}

// Cells that were committed since the whole pass have other rows now, whoever wrote them. Where so
// many differ that half of the window would be computed, all of it is.
std::vector<int> AnchoredModel::looked_at(std::span<const Token> window,
                                          std::span<const int> masks) {
  rows_.clear();
  std::vector<int> looked_at;
  std::ranges::set_intersection(masks, chosen_, std::back_inserter(looked_at));
  const bool usable = !looked_at.empty() && window.size() == anchored_.size();
  if (!usable) return {masks.begin(), masks.end()};
  std::vector<int> changed;
  for (int cell = 0; std::cmp_less(cell, window.size()); ++cell) {
    if (window[cell] != anchored_[cell]) changed.push_back(cell);
  }
  std::ranges::set_union(chosen_, changed, std::back_inserter(rows_));
  if (2 * rows_.size() <= window.size()) return looked_at;
  rows_.clear();
  return {masks.begin(), masks.end()};
}

std::vector<Prediction> AnchoredModel::predict(std::span<const Token> prompt,
                                               std::span<const Token> window,
                                               std::span<const int> cells, const Sampling& sampling,
                                               int wanted) {
  const int before = static_cast<int>(prompt.size());
  std::vector<Token> tokens(prompt.begin(), prompt.end());
  tokens.insert(tokens.end(), window.begin(), window.end());
  std::vector<int> positions, active;
  for (const int cell : cells) positions.push_back(before + cell);
  for (const int cell : rows_) active.push_back(before + cell);
  const Query query{.tokens = tokens,
                    .positions = positions,
                    .sampling = sampling,
                    .anchor = anchor_.get(),
                    .active = active,
                    .prompt = before};
  std::vector<Prediction> predictions = model_.predict({&query, 1}).front();
  share_ = model_.share_of_pass(query);
  if (!was_partial()) {
    anchored_.assign(window.begin(), window.end());
    choose(cells, predictions, wanted);
  }
  return predictions;
}

void AnchoredModel::choose(std::span<const int> cells, std::span<const Prediction> predictions,
                           int wanted) {
  std::vector<int> order(cells.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  if (rule_ == AnchorRule::kCheckpoint) {
    std::ranges::stable_sort(
        order, [&](int a, int b) { return predictions[a].confidence > predictions[b].confidence; });
    const auto most = static_cast<std::size_t>(std::ceil(factor_ * static_cast<float>(wanted)));
    if (order.size() > most) order.resize(most);
  }
  chosen_.clear();
  for (const int i : order) chosen_.push_back(cells[i]);
  std::ranges::sort(chosen_);
}

}  // namespace umf
