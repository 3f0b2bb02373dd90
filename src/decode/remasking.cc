#include "decode/remasking.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "decode/predict.h"
#include "decode/remdm.h"
#include "decode/schedule.h"

namespace umf {
namespace {

class Trajectory {
 public:
  Trajectory(Model& model, std::span<const Token> prompt, std::vector<Token>& window,
             const Action& action, int index, int limit, const TrajectoryObserver& observer);
  Remasked run() &&;

 private:
  // Each of these gives false when the trajectory was ended by its limit or the observer.
  bool by_chance();
  bool step_by_chance(RemdmTimes times, int step);
  bool fill(int step);
  bool by_confidence();
  bool commit_most_confident(int step);
  bool report(const std::vector<Commit>& commits);

  void remask_least_confident();
  std::vector<double> remasking(RemdmTimes times, std::span<const int> committed) const;
  std::vector<int> cells_where(bool masked) const;
  NoiseKey key(int step) const { return step_key(action_, index_, window_, step); }
  // Nothing when the limit allows no more passes.
  std::optional<std::vector<Prediction>> ask(const std::vector<int>& cells, const Action& action,
                                             int step);
  Commit commit(int cell, const Prediction& prediction);

  Model& model_;
  std::span<const Token> prompt_;
  std::vector<Token>& window_;
  const Action& action_;
  const int index_, limit_;
  const TrajectoryObserver& observer_;
  const Token mask_;
  const std::vector<int> cells_;  // of the trajectory: the masks at its start
  const int most_passes_;
  const double eta_;
  std::vector<double> confidences_;  // by cell of the window, from when it was committed
  int passes_ = 0, reported_ = 0;

  // The last question and its answer.
  std::vector<Token> asked_window_;
  std::vector<int> asked_cells_;
  std::vector<Prediction> answer_;
};

Trajectory::Trajectory(Model& model, std::span<const Token> prompt, std::vector<Token>& window,
                       const Action& action, int index, int limit,
                       const TrajectoryObserver& observer)
    : model_(model),
      prompt_(prompt),
      window_(window),
      action_(action),
      index_(index),
      limit_(limit),
      observer_(observer),
      mask_(model.info().tokens.mask),
      cells_(mask_cells(window, mask_)),
      most_passes_(action.passes > 0 ? action.passes : 2 * static_cast<int>(cells_.size())),
      eta_(action.remask_eta < 0 ? recommended_eta(action.remask) : action.remask_eta),
      confidences_(window.size()) {}

Remasked Trajectory::run() && {
  if (cells_.empty()) return {};
  const bool finished = action_.remask == Remask::kConfidenceLoop ? by_confidence() : by_chance();
  return {passes_, finished};
}

// The last pass is kept for what the steps leave masked.
bool Trajectory::by_chance() {
  const int steps = most_passes_ - 1;
  for (int step = 0; step < steps; ++step) {
    if (!step_by_chance(remdm_times(step, steps), step)) return false;
  }
  return fill(steps);
}

// One toss per cell decides what becomes of it. The model is asked about the window as it was
// before the step, and about the cells that are committed alone.
bool Trajectory::step_by_chance(RemdmTimes times, int step) {
  const auto toss = [&, noise = key(step)](int cell) -> double {
    return position_noise(noise, static_cast<std::uint32_t>(prompt_.size()) + cell);
  };
  const std::vector<int> committed = cells_where(/*masked=*/false);
  const std::vector<double> sigma = remasking(times, committed);
  // Masked cells have no part in what conf shares out (docs/algorithm.md#remdm).
  const bool shared = action_.remask == Remask::kConf;
  const double stay =
      stay_masked(action_.remask, shared ? 0 : remdm_sigma(action_.remask, eta_, times), times);
  std::vector<int> opened = cells_where(/*masked=*/true);
  std::erase_if(opened, [&](int cell) { return toss(cell) < stay; });

  std::vector<Commit> commits;
  std::optional<std::vector<Prediction>> predictions;
  if (!opened.empty() && !(predictions = ask(opened, action_, step))) return false;
  for (std::size_t i = 0; i < committed.size(); ++i) {
    if (toss(committed[i]) < sigma[i]) window_[committed[i]] = mask_;
  }
  for (std::size_t i = 0; i < opened.size(); ++i)
    commits.push_back(commit(opened[i], (*predictions)[i]));
  return commits.empty() || report(commits);
}

// By committed cell.
std::vector<double> Trajectory::remasking(RemdmTimes times, std::span<const int> committed) const {
  const double sigma = remdm_sigma(action_.remask, eta_, times);
  if (action_.remask != Remask::kConf) return std::vector<double>(committed.size(), sigma);
  std::vector<double> confidences;
  for (const int cell : committed) confidences.push_back(confidences_[cell]);
  std::vector<double> shares = conf_shares(confidences);
  for (double& share : shares) share *= sigma;
  return shares;
}

bool Trajectory::fill(int step) {
  const std::vector<int> cells = cells_where(/*masked=*/true);
  if (cells.empty()) return true;
  Action greedy = action_;
  greedy.temperature = 0;
  const auto predictions = ask(cells, greedy, step);
  if (!predictions) return false;
  std::vector<Commit> commits;
  for (std::size_t i = 0; i < cells.size(); ++i)
    commits.push_back(commit(cells[i], (*predictions)[i]));
  return report(commits);
}

// The passes beyond one per mask go into the loop, when 7/8 of the cells are committed.
bool Trajectory::by_confidence() {
  const auto masks = static_cast<int>(cells_.size());
  const int before = std::max(masks * 7 / 8, 1), loop = std::max(most_passes_ - masks, 0);
  for (int step = 0; step < masks + loop; ++step) {
    if (step >= before && step < before + loop) remask_least_confident();
    if (!commit_most_confident(step)) return false;
  }
  return true;
}

void Trajectory::remask_least_confident() {
  const std::vector<int> committed = cells_where(/*masked=*/false);
  const int least = *std::min_element(committed.begin(), committed.end(), [&](int a, int b) {
    return confidences_[a] < confidences_[b];
  });
  window_[least] = mask_;
}

bool Trajectory::commit_most_confident(int step) {
  const std::vector<int> cells = cells_where(/*masked=*/true);
  const auto predictions = ask(cells, action_, step);
  if (!predictions) return false;
  const auto best = std::max_element(
      predictions->begin(), predictions->end(),
      [](const Prediction& a, const Prediction& b) { return a.confidence < b.confidence; });
  return report({commit(cells[best - predictions->begin()], *best)});
}

std::vector<int> Trajectory::cells_where(bool masked) const {
  std::vector<int> found;
  std::copy_if(cells_.begin(), cells_.end(), std::back_inserter(found),
               [&](int cell) { return (window_[cell] == mask_) == masked; });
  return found;
}

// A greedy answer to the same question is the same answer: no pass. A draw has the noise of its own
// step.
std::optional<std::vector<Prediction>> Trajectory::ask(const std::vector<int>& cells,
                                                       const Action& action, int step) {
  const bool known = action.temperature == 0 && action_.temperature == 0 &&
                     window_ == asked_window_ && cells == asked_cells_;
  if (known) return answer_;
  if (passes_ >= limit_) return std::nullopt;
  const auto masks = static_cast<int>(cells_where(/*masked=*/true).size());
  const double time = state_time(masks, static_cast<int>(window_.size()));
  answer_ = predict_cells(model_, prompt_, window_, cells,
                          sampling_of(model_.info(), action, key(step), time));
  asked_window_ = window_;
  asked_cells_ = cells;
  ++passes_;
  return answer_;
}

Commit Trajectory::commit(int cell, const Prediction& prediction) {
  window_[cell] = prediction.token;
  confidences_[cell] = prediction.confidence;
  return {cell, prediction.token};
}

// Observers count passes: an answer that was known makes none.
bool Trajectory::report(const std::vector<Commit>& commits) {
  if (std::exchange(reported_, passes_) == passes_) return true;
  return !observer_ || observer_(window_, commits);
}

}  // namespace

Remasked remask(Model& model, std::span<const Token> prompt, std::vector<Token>& window,
                const Action& action, int index, int limit, const TrajectoryObserver& observer) {
  return Trajectory(model, prompt, window, action, index, limit, observer).run();
}

}  // namespace umf
