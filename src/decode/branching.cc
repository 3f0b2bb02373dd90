#include "decode/branching.h"

#include <algorithm>
#include <utility>

#include "decode/predict.h"
#include "decode/schedule.h"

namespace umf {
namespace {

// The noise of the whole draw: which of `count` it takes.
int uniform_index(const NoiseKey& key, int count) {
  return std::min(static_cast<int>(static_cast<double>(position_noise(key, 0)) * count), count - 1);
}

}  // namespace

Drafts draft_children(Model& model, std::span<const Token> prompt, std::span<const Token> window,
                      const Action& action, int index, int begin, int end, int children) {
  const std::vector<int> cells = mask_cells(window, model.info().tokens.mask);
  const auto first = std::ranges::lower_bound(cells, begin) - cells.begin();
  const auto open = static_cast<int>(std::ranges::lower_bound(cells, end) - cells.begin() - first);
  const double time = state_time(static_cast<int>(cells.size()), static_cast<int>(window.size()));
  Action greedy = action;
  greedy.temperature = 0;
  std::vector<Sampling> draws;
  for (int child = 0; child < children; ++child) {
    const NoiseKey key = step_key(action, index, window, child);
    draws.push_back(sampling_of(model.info(), action, key, time));
  }
  const std::vector<Prediction> predictions = predict_cells(
      model, prompt, window, cells, sampling_of(model.info(), greedy, {}, time), draws);

  Drafts drafts;
  for (std::size_t i = 0; i < cells.size(); ++i)
    drafts.completion.push_back({cells[i], predictions[i].token});
  for (int child = 0; child < children; ++child) {
    const auto drawn = std::span(predictions).subspan((child + 1) * cells.size() + first, open);
    std::vector<Offer> offers;
    for (const Prediction& prediction : drawn)
      offers.push_back(offer_of(prediction, model.info().tokens));
    std::vector<int> taken = sure_offers(action.commit, offers);
    const int lot = uniform_index(draws[child].noise, open);
    if (!std::ranges::binary_search(taken, lot))
      taken.insert(std::ranges::lower_bound(taken, lot), lot);
    std::vector<Commit>& commits = drafts.children.emplace_back();
    for (const int at : taken) commits.push_back({cells[first + at], drawn[at].token});
  }
  return drafts;
}

}  // namespace umf
