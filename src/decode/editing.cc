#include "decode/editing.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace umf {

int block_begin(const ModelInfo& model, int prompt, int cell) {
  const int before = model.blocks_begin(prompt);
  return std::max(0, (before + cell) / model.block * model.block - before);
}

std::vector<int> written_cells(std::span<const Token> window, Token mask, const StepRule& rule) {
  std::vector<int> cells;
  for (int cell = rule.edit_from; cell < rule.end; ++cell) {
    if (window[cell] != mask) cells.push_back(cell);
  }
  return cells;
}

std::vector<Commit> rewritten(std::span<const Token> window, std::span<const Answer> answers,
                              const Action& action, Token mask) {
  std::vector<Commit> commits;
  for (const auto& [cell, prediction] : answers) {
    if (prediction.token != mask && prediction.token != window[cell] &&
        prediction.confidence > action.edit)
      commits.push_back({cell, prediction.token});
  }
  return commits;
}

void check_editing(const Action& action, const ModelInfo& model) {
  if (!edits(action) || (model.block > 0 && !model.shifted && !model.causal_context)) return;
  throw Error(
      fmt::format("edit={} rewrites cells of the block under work, and {} does not decode "
                  "in blocks that can be rewritten",
                  action.edit, model.name));
}

}  // namespace umf
