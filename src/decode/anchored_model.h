// A model whose passes between two checkpoints compute few rows
// (docs/algorithm.md#anchored-passes).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decode/action.h"
#include "model/model.h"

namespace umf {

// Of one walk. What a pass gives depends on the windows since forget() alone, so that a walk which
// forgets at its checkpoints is a function of the state it starts from.
class AnchoredModel {
 public:
  // Throws Error where the model computes whole passes alone.
  AnchoredModel(Model& model, const Action& action);

  // The next pass is a whole one.
  void forget() { chosen_.clear(); }

  // Which of these masks the next pass looks at, in ascending order: all of them in a whole pass,
  // and otherwise those that the last whole pass chose.
  std::vector<int> looked_at(std::span<const Token> window, std::span<const int> masks);
  // That pass: one prediction per cell that is looked at. A whole one chooses the masks that will
  // probably be committed next: the most confident, by the action's factor more than the `wanted`
  // that are committed before the next whole pass; under blocks all of them.
  std::vector<Prediction> predict(std::span<const Token> prompt, std::span<const Token> window,
                                  std::span<const int> cells, const Sampling& sampling, int wanted);

  // Of the last pass.
  bool was_partial() const { return !rows_.empty(); }
  double share() const { return share_; }  // of the arithmetic of a whole pass

 private:
  void choose(std::span<const int> cells, std::span<const Prediction> predictions, int wanted);

  Model& model_;
  AnchorRule rule_;
  float factor_;
  std::unique_ptr<Anchor> anchor_;
  std::vector<Token> anchored_;  // the window of the last whole pass
  std::vector<int> chosen_;      // its masks whose rows are computed from then on
  std::vector<int> rows_;        // cells of the next pass; none: it is a whole one
  double share_ = 1;
};

}  // namespace umf
