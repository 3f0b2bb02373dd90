// Asking a model about cells of a window, as an action wants it asked.
#pragma once

#include <span>
#include <vector>

#include "decode/action.h"
#include "model/model.h"

namespace umf {

// The key of a step that may leave the window as it was: its number joins the state.
NoiseKey step_key(const Action& action, int index, std::span<const Token> window, int step);

// The masked cells of a window, in ascending order.
std::vector<int> mask_cells(std::span<const Token> window, Token mask);

// How the action draws tokens: `time` is for rules that depend on it.
Sampling sampling_of(const ModelInfo& model, const Action& action, const NoiseKey& noise,
                     double time);

// The number by which a strategy that looks ranks cells; larger is better.
double score_of(const Prediction& prediction, Strategy strategy);

// What a prediction for a mask says to the rule that decides how many are committed.
Offer offer_of(const Prediction& prediction, const SpecialTokens& tokens);

// One prediction per cell, then one per cell for each of `more`; one forward pass.
std::vector<Prediction> predict_cells(Model& model, std::span<const Token> prompt,
                                      std::span<const Token> window, std::span<const int> cells,
                                      const Sampling& sampling,
                                      std::span<const Sampling> more = {});

}  // namespace umf
