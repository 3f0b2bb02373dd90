#include "decode/replan.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "decode/predict.h"

namespace umf {

std::vector<Commit> replan(Model& model, std::span<const Token> prompt,
                           std::span<const Token> window, const Action& action, int index,
                           int masks_left, double time) {
  const Token mask = model.info().tokens.mask;
  std::vector<int> cells(window.size());
  std::iota(cells.begin(), cells.end(), 0);
  const std::vector<Prediction> predictions =
      predict_cells(model, prompt, window, cells,
                    sampling_of(model.info(), action, noise_key(action.seed, index, window), time));
  std::ranges::stable_sort(cells, std::greater(),
                           [&](int cell) { return score_of(predictions[cell], action.strategy); });
  const auto kept = cells.end() - std::clamp(masks_left, 0, static_cast<int>(cells.size()));
  std::sort(cells.begin(), kept);
  std::sort(kept, cells.end());
  std::vector<Commit> changes;
  for (auto cell = kept; cell != cells.end(); ++cell) {
    if (window[*cell] != mask) changes.push_back({*cell, mask});
  }
  for (auto cell = cells.begin(); cell != kept; ++cell) {
    const Token token = predictions[*cell].token;
    if (window[*cell] == mask && token != mask) changes.push_back({*cell, token});
  }
  return changes;
}

}  // namespace umf
