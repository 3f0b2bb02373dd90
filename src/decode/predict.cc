#include "decode/predict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/elementary.h"
#include "decode/schedule.h"

namespace umf {

NoiseKey step_key(const Action& action, int index, std::span<const Token> window, int step) {
  const NoiseKey state = noise_key(action.seed, index, window);
  const NoiseKey number = noise_key(step, index, {});
  return {state.low ^ number.low, state.high ^ number.high};
}

std::vector<int> mask_cells(std::span<const Token> window, Token mask) {
  std::vector<int> cells;
  for (int cell = 0; std::cmp_less(cell, window.size()); ++cell) {
    if (window[cell] == mask) cells.push_back(cell);
  }
  return cells;
}

Sampling sampling_of(const ModelInfo& model, const Action& action, const NoiseKey& noise,
                     double time) {
  const SpecialTokens& tokens = model.tokens;
  Sampling sampling{.temperature = action.temperature,
                    .top_p = action.top_p,
                    .top_k = action.top_k,
                    .tempered_scores = model.tempered_scores,
                    .noise = noise,
                    .plain_probability = !commits_one(action)};
  if (!action.allow_mask) sampling.never.push_back(tokens.mask);
  if (action.forbid_eos) sampling.never.push_back(tokens.end_of_text);
  if (action.eos_last) {
    sampling.last.push_back(tokens.end_of_text);
    if (tokens.end_of_turn) sampling.last.push_back(*tokens.end_of_turn);
  }
  const Token padding = tokens.padding.value_or(tokens.end_of_text);
  double bias = 0;
  if (action.eos_penalty > 0) bias += padding_bias(action.eos_penalty, time);
  if (action.pad_factor != 1) bias += elementary::log(action.pad_factor);
  if (bias != 0) sampling.bias.emplace_back(padding, static_cast<float>(bias));
  return sampling;
}

double score_of(const Prediction& prediction, Strategy strategy) {
  switch (strategy) {
    case Strategy::kEntropy:
      return -prediction.entropy;
    case Strategy::kMargin:
      return prediction.margin;
    default:
      return prediction.confidence;
  }
}

Offer offer_of(const Prediction& prediction, const SpecialTokens& tokens) {
  const Token token = prediction.token;
  const bool ends = token == tokens.end_of_text || token == tokens.end_of_turn ||
                    token == tokens.padding ||
                    std::ranges::find(tokens.ends, token) != tokens.ends.end();
  return {prediction.probability, ends};
}

std::vector<Prediction> predict_cells(Model& model, std::span<const Token> prompt,
                                      std::span<const Token> window, std::span<const int> cells,
                                      const Sampling& sampling, std::span<const Sampling> more) {
  std::vector<Token> tokens(prompt.begin(), prompt.end());
  tokens.insert(tokens.end(), window.begin(), window.end());
  std::vector<int> positions;
  for (const int cell : cells) positions.push_back(static_cast<int>(prompt.size()) + cell);
  const Query query{.tokens = tokens,
                    .positions = positions,
                    .sampling = sampling,
                    .more = more,
                    .prompt = static_cast<int>(prompt.size())};
  return model.predict({&query, 1}).front();
}

}  // namespace umf
