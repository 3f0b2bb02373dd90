#include "backend/reference/predict_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/elementary.h"

namespace umf {
namespace {

constexpr double kRemoved = -std::numeric_limits<double>::infinity();

using Row = std::vector<double>;

int argmax(const Row& values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

// A row without any finite logit holds no probability at all.
Row softmax(const Row& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Row p(logits.size(), 0.0);
  if (largest == kRemoved) return p;
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    p[i] = logits[i] == largest ? 1.0 : elementary::exp(logits[i] - largest);
    sum += p[i];
  }
  for (double& value : p) value /= sum;
  return p;
}

// Removes a token when the mass of the more probable ones alone exceeds `top_p`.
void keep_top_p(Row& logits, double top_p) {
  const Row p = softmax(logits);
  std::vector<int> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return p[a] > p[b]; });
  double before = 0;
  for (const int token : order) {
    if (before > top_p) logits[token] = kRemoved;
    before += p[token];
  }
}

// Removes tokens strictly below the k-th largest logit; ties stay.
void keep_top_k(Row& logits, int k) {
  if (k >= static_cast<int>(logits.size())) return;
  Row sorted = logits;
  std::nth_element(sorted.begin(), sorted.begin() + (k - 1), sorted.end(), std::greater<>());
  const double threshold = sorted[k - 1];
  for (double& logit : logits) {
    if (logit < threshold) logit = kRemoved;
  }
}

Row admitted(std::span<const float> logits, const Sampling& sampling) {
  Row row(logits.begin(), logits.end());
  for (double& logit : row) {
    if (std::isnan(logit)) logit = kRemoved;
  }
  for (const auto& [token, added] : sampling.bias) row[token] += added;
  for (const Token token : sampling.never) row[token] = kRemoved;
  return row;
}

Row tempered_and_filtered(Row row, const Sampling& sampling) {
  if (sampling.temperature > 0) {
    for (double& logit : row) logit /= sampling.temperature;
  }
  if (sampling.top_p < 1) keep_top_p(row, sampling.top_p);
  if (sampling.top_k > 0) keep_top_k(row, sampling.top_k);
  return row;
}

// Argmax of logits + Gumbel noise is a draw from their softmax.
int draw(const Row& tempered, int position, const NoiseKey& noise) {
  Row noisy = tempered;
  for (std::size_t token = 0; token < noisy.size(); ++token) {
    if (noisy[token] == kRemoved) continue;
    const double u = open_unit(noise_word(noise, position, static_cast<std::uint32_t>(token)));
    noisy[token] -= elementary::log(-elementary::log(u));
  }
  return argmax(noisy);
}

Prediction score(const Row& p, int token) {
  Prediction prediction{.token = token, .confidence = static_cast<float>(p[token])};
  double first = 0, second = 0, entropy = 0;
  for (const double value : p) {
    if (value > first)
      second = std::exchange(first, value);
    else if (value > second)
      second = value;
    entropy -= value * elementary::log(value + 1e-10);
  }
  prediction.margin = static_cast<float>(first - second);
  prediction.entropy = static_cast<float>(entropy);
  return prediction;
}

}  // namespace

Prediction predict_row(std::span<const float> logits, int position, const Sampling& sampling) {
  const Row plain = admitted(logits, sampling);
  const Row tempered = tempered_and_filtered(plain, sampling);
  const int token =
      sampling.temperature > 0 ? draw(tempered, position, sampling.noise) : argmax(tempered);
  Row scored = sampling.tempered_scores ? tempered : plain;
  for (const Token last : sampling.last) scored[last] = kRemoved;
  Prediction prediction = score(softmax(scored), token);
  if (sampling.plain_probability)
    prediction.probability = static_cast<float>(softmax(plain)[token]);
  return prediction;
}

}  // namespace umf
