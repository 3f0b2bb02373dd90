#include "backend/cpu/routing.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace umf {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// The `count` best of `scores`, which are numbers, in any order; the lowest of equal ones.
std::vector<int> best(std::span<const float> scores, int count) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::nth_element(order.begin(), order.begin() + (count - 1), order.end(), [&](int a, int b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  order.resize(count);
  return order;
}

void leave_out_groups(const Routing& routing, std::span<float> choice) {
  const int size = routing.experts / routing.groups;
  std::vector<float> of_groups(routing.groups);
  for (int group = 0; group < routing.groups; ++group) {
    float first = kLowest, second = kLowest;
    for (const float score : choice.subspan(group * size, size)) {
      second = std::max(second, std::min(first, score));
      first = std::max(first, score);
    }
    of_groups[group] = first + second;
  }
  std::vector<bool> kept(routing.groups);
  for (const int group : best(of_groups, routing.kept_groups)) kept[group] = true;
  for (int expert = 0; expert < routing.experts; ++expert) {
    if (!kept[expert / size]) choice[expert] = kLowest;
  }
}

// Scores become what an expert weighs if it is chosen, before anything is divided by a sum.
void weigh(const Kernels& kernels, const Routing& routing, std::span<float> scores) {
  if (routing.sigmoid) {
    for (float& score : scores) score = -score;
    kernels.exp(scores.data(), scores.size(), scores.data());
    for (float& score : scores) score = 1 / (1 + score);
    return;
  }
  const float largest = *std::ranges::max_element(scores);
  for (float& score : scores) score -= largest;
  kernels.exp(scores.data(), scores.size(), scores.data());
  float sum = 0;
  for (const float score : scores) sum += score;
  for (float& score : scores) score /= sum;
}

}  // namespace

void choose_experts(const Kernels& kernels, const Routing& routing, const float* bias,
                    std::span<float> scores, std::span<float> choice,
                    std::span<ExpertShare> chosen) {
  assert(std::ssize(scores) == routing.experts && std::ssize(chosen) == routing.chosen);
  // A softmax keeps the order, but may make equal what was not.
  if (!routing.sigmoid) std::ranges::copy(scores, choice.begin());
  weigh(kernels, routing, scores);
  if (routing.sigmoid) std::ranges::copy(scores, choice.begin());
  for (int expert = 0; expert < routing.experts; ++expert) {
    if (bias != nullptr) choice[expert] += bias[expert];
    if (std::isnan(choice[expert])) choice[expert] = kLowest;
  }
  if (routing.groups > 1) leave_out_groups(routing, choice);
  std::vector<int> experts = best(choice, routing.chosen);
  std::ranges::sort(experts);
  float sum = 1e-20f;
  for (const int expert : experts) sum += scores[expert];
  for (int i = 0; i < routing.chosen; ++i) {
    const float part = scores[experts[i]];
    chosen[i] = {experts[i], (routing.normalised ? part / sum : part) * routing.scale};
  }
}

}  // namespace umf
