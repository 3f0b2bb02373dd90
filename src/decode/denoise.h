// One denoising step: a pure function of prompt, window, action and rule.
#pragma once

#include <span>
#include <vector>

#include "decode/action.h"
#include "decode/anchored_model.h"
#include "model/model.h"

namespace umf {

// Which cells of the window may be committed in this step, and how many.
struct StepRule {
  int begin = 0, end = 0;  // the active cells: masks in [begin, end)
  int count = 1;           // the best `count` of them
  float share = 0;         // origin: the probability with which each is committed
  int steps_left = 0;      // origin: joins the noise, as a pass may leave the window as it was
  float threshold = 0;     // above 0: all cells at least this confident, and always the best one
  double time = 1;         // for rules that depend on time
  int edit_from = 0;       // with edits: committed cells from here to `end` may be rewritten
  int to_checkpoint = 0;   // with an anchor: masks that are committed before the next one
};

struct Commit {
  int cell = 0;  // of the window
  Token token = 0;
  bool operator==(const Commit&) const = default;
};

// What one forward pass says about every active mask, in ascending order, with the model's
// probabilities: for those who decide beyond one model. `index` and noise are as below.
struct Answer {
  int cell = 0;
  Prediction prediction;
};
std::vector<Answer> ask(Model& model, std::span<const Token> prompt, std::span<const Token> window,
                        const Action& action, int index, const StepRule& rule,
                        AnchoredModel* anchored = nullptr);

// The cells that the step commits or rewrites, in ascending order; one forward pass. Ties go to the
// lowest cell. Noise is keyed by `seed`, the action's `index` and the window (and the steps left),
// so that the same state and action give the same result, in any order and on any number of
// threads. With an anchored model, which is the model's, only what its pass looks at can be
// committed.
std::vector<Commit> denoise(Model& model, std::span<const Token> prompt,
                            std::span<const Token> window, const Action& action, int index,
                            const StepRule& rule, AnchoredModel* anchored = nullptr);

}  // namespace umf
