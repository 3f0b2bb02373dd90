#include "decode/denoise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/elementary.h"
#include "decode/editing.h"
#include "decode/predict.h"

namespace umf {
namespace {

struct Candidate {
  int cell = 0;
  double score = 0;
  Prediction prediction;
};

// The best `count`; equal scores in ascending order of cells, in which they must come.
void keep_best(std::vector<Candidate>& candidates, int count) {
  if (count >= static_cast<int>(candidates.size())) return;
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  candidates.resize(std::max(count, 0));
}

// What remains when chance alone decides; the other strategies keep every mask for now.
void choose_by_chance(std::vector<Candidate>& candidates, Strategy strategy, const StepRule& rule,
                      const std::function<double(int cell)>& noise) {
  if (strategy == Strategy::kOrigin) {
    std::erase_if(candidates, [&](const Candidate& c) { return noise(c.cell) >= rule.share; });
  } else if (strategy == Strategy::kRandom) {
    for (Candidate& candidate : candidates) candidate.score = noise(candidate.cell);
    keep_best(candidates, rule.count);
  }
}

// All cells that the action's rule is sure of. False where it is sure of none.
bool choose_sure(std::vector<Candidate>& candidates, const CommitRule& rule,
                 const SpecialTokens& tokens) {
  std::vector<Offer> offers;
  for (const Candidate& candidate : candidates)
    offers.push_back(offer_of(candidate.prediction, tokens));
  std::vector<Candidate> sure;
  for (const int index : sure_offers(rule, offers)) sure.push_back(candidates[index]);
  if (sure.empty()) return false;
  candidates = std::move(sure);
  return true;
}

void choose_by_score(std::vector<Candidate>& candidates, const Action& action, const StepRule& rule,
                     const std::function<double(int cell)>& noise) {
  int count = rule.count;
  if (rule.threshold > 0) {
    count = 0;
    for (Candidate& candidate : candidates) {
      candidate.score = candidate.prediction.confidence;
      if (candidate.prediction.confidence >= rule.threshold) ++count;
    }
    count = std::max(count, 1);
  } else {
    for (Candidate& candidate : candidates) {
      candidate.score = score_of(candidate.prediction, action.strategy);
    }
  }
  if (action.order_temperature > 0) {
    // Gumbel noise turns "the best" into a draw without replacement from softmax(score /
    // temperature).
    for (Candidate& candidate : candidates) {
      candidate.score = candidate.score / action.order_temperature -
                        elementary::log(-elementary::log(noise(candidate.cell)));
    }
  }
  keep_best(candidates, count);
}

// Origin may leave the window as it was: only the steps left tell one pass from the next.
NoiseKey key_of(const Action& action, int index, std::span<const Token> window,
                const StepRule& rule) {
  if (action.strategy == Strategy::kOrigin) return step_key(action, index, window, rule.steps_left);
  return noise_key(action.seed, index, window);
}

// What the model sees of a window. One that grows ends with the last cell that is asked for or
// written: what stands behind it is as if it were not there yet.
std::span<const Token> canvas_of(std::span<const Token> window, Token mask, const Action& action,
                                 const StepRule& rule) {
  if (!action.grow) return window;
  std::size_t end = window.size();
  while (std::cmp_greater(end, rule.end) && window[end - 1] == mask) --end;
  return window.first(end);
}

// Of the cells that the pass looks at; the others are left out.
std::vector<Answer> predict(Model& model, std::span<const Token> prompt,
                            std::span<const Token> canvas, std::vector<int> cells,
                            const Sampling& sampling, const StepRule& rule,
                            AnchoredModel* anchored) {
  if (anchored != nullptr) cells = anchored->looked_at(canvas, cells);
  const std::vector<Prediction> predictions =
      anchored != nullptr ? anchored->predict(prompt, canvas, cells, sampling, rule.to_checkpoint)
                          : predict_cells(model, prompt, canvas, cells, sampling);
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < cells.size(); ++i) answers.push_back({cells[i], predictions[i]});
  return answers;
}

std::vector<Candidate> active_masks(std::span<const Token> window, Token mask,
                                    const StepRule& rule) {
  std::vector<Candidate> candidates;
  for (int cell = rule.begin; cell < rule.end; ++cell) {
    if (window[cell] == mask) candidates.push_back({.cell = cell});
  }
  return candidates;
}

}  // namespace

std::vector<Answer> ask(Model& model, std::span<const Token> prompt, std::span<const Token> window,
                        const Action& action, int index, const StepRule& rule,
                        AnchoredModel* anchored) {
  const Token mask = model.info().tokens.mask;
  std::vector<int> cells;
  for (const Candidate& candidate : active_masks(window, mask, rule))
    cells.push_back(candidate.cell);
  Sampling sampling =
      sampling_of(model.info(), action, noise_key(action.seed, index, window), rule.time);
  sampling.plain_probability = true;
  return predict(model, prompt, canvas_of(window, mask, action, rule), std::move(cells), sampling,
                 rule, anchored);
}

std::vector<Commit> denoise(Model& model, std::span<const Token> prompt,
                            std::span<const Token> window, const Action& action, int index,
                            const StepRule& rule, AnchoredModel* anchored) {
  const Token mask = model.info().tokens.mask;
  const NoiseKey key = key_of(action, index, window, rule);
  const auto noise = [&](int cell) -> double {
    return position_noise(key, static_cast<std::uint32_t>(prompt.size()) + cell);
  };
  std::vector<Candidate> candidates = active_masks(window, mask, rule);
  const bool by_chance =
      action.strategy == Strategy::kOrigin || action.strategy == Strategy::kRandom;
  choose_by_chance(candidates, action.strategy, rule, noise);
  const std::vector<int> written =
      edits(action) ? written_cells(window, mask, rule) : std::vector<int>{};
  // A pass that commits nothing changes nothing: it need not be computed.
  const bool commits_none = candidates.empty() || (!by_chance && rule.count <= 0);
  if (commits_none && written.empty()) return {};
  std::vector<int> cells;
  for (const Candidate& candidate : candidates) cells.push_back(candidate.cell);
  cells.insert(cells.end(), written.begin(), written.end());
  candidates.clear();
  std::vector<Answer> of_written;
  for (const Answer& answer :
       predict(model, prompt, canvas_of(window, mask, action, rule), std::move(cells),
               sampling_of(model.info(), action, key, rule.time), rule, anchored)) {
    if (window[answer.cell] != mask)
      of_written.push_back(answer);
    else
      candidates.push_back({.cell = answer.cell, .prediction = answer.prediction});
  }
  if (!by_chance && !choose_sure(candidates, action.commit, model.info().tokens))
    choose_by_score(candidates, action, rule, noise);

  std::vector<Commit> commits = rewritten(window, of_written, action, mask);
  for (const Candidate& candidate : candidates) {
    if (candidate.prediction.token != mask)
      commits.push_back({candidate.cell, candidate.prediction.token});
  }
  std::sort(commits.begin(), commits.end(),
            [](const Commit& a, const Commit& b) { return a.cell < b.cell; });
  return commits;
}

}  // namespace umf
