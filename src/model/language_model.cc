#include "model/language_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/error.h"

namespace umf {

ModelInfo describe_model(std::string name, const Checkpoint& checkpoint) {
  const Family& family = *checkpoint.family;
  if (!family.diffusion) {
    throw Error(fmt::format("'{}' is a reward model ({}); it cannot write text", name,
                            family.architecture));
  }
  const AttentionShape& attention = checkpoint.architecture.attention;
  return {.name = std::move(name),
          .family = family.name,
          .tokens = checkpoint.tokens,
          .vocabulary = checkpoint.architecture.vocabulary,
          .max_length = checkpoint.architecture.max_length,
          .block = attention.kind == AttentionKind::kBlockCausal ? attention.block : 0,
          .tempered_scores = family.tempered_scores,
          .strategy = family.strategy,
          .temperature = family.temperature,
          .top_p = family.top_p,
          .advice = checkpoint.advice};
}

LanguageModel::LanguageModel(std::string name, std::shared_ptr<const Checkpoint> checkpoint,
                             Backend& backend)
    : checkpoint_(std::move(checkpoint)),
      info_(describe_model(std::move(name), *checkpoint_)),
      backend_(backend),
      residence_(backend.begin_model(checkpoint_->architecture.shape())),
      transformer_(backend, checkpoint_->architecture, checkpoint_->family->names,
                   checkpoint_->weights, {&checkpoint_->family->names.head, 1}) {
  const HostTensor head = checkpoint_->weights.matrix(
      checkpoint_->family->names.head, info_.vocabulary, checkpoint_->architecture.hidden);
  head_ = backend_.load_linear({&head, 1}, {});
}

void LanguageModel::for_logits(std::span<const Token> tokens, std::span<const int> positions,
                               const std::function<void(int, const Matrix&)>& use) {
  if (positions.empty()) return;
  std::vector<int> rows(positions.begin(), positions.end());
  if (checkpoint_->family->shifted) {
    for (int& row : rows) row = std::max(row - 1, 0);
  }
  const int wanted = static_cast<int>(rows.size());
  rows.resize(backend_.padded_rows(wanted), rows.back());
  const Matrix hidden = transformer_.forward(tokens, rows);
  const int chunk = std::clamp(backend_.logits_at_once() / info_.vocabulary, 1, hidden.rows);
  if (logits_.rows < chunk) logits_ = backend_.allocate_logits(chunk, info_.vocabulary);
  for (int first = 0; first < wanted; first += chunk) {
    const int count = std::min(chunk, hidden.rows - first);
    const Matrix logits = logits_.row_range(0, count);
    backend_.project(hidden.row_range(first, count), *head_, 0, logits);
    use(first, logits.row_range(0, std::min(count, wanted - first)));
  }
}

std::vector<std::vector<Prediction>> LanguageModel::predict(std::span<const Query> batch) {
  std::vector<std::vector<Prediction>> answers;
  for (const Query& query : batch) {
    const std::size_t asked = query.positions.size();
    std::vector<Prediction>& answer = answers.emplace_back(asked * (1 + query.more.size()));
    for_logits(query.tokens, query.positions, [&](int first, const Matrix& logits) {
      const std::span<const int> positions = query.positions.subspan(first, logits.rows);
      const auto out = [&](std::size_t way) {
        return std::span(answer).subspan(way * asked + first, logits.rows);
      };
      backend_.predict(logits, positions, query.sampling, out(0));
      for (std::size_t i = 0; i < query.more.size(); ++i)
        backend_.predict(logits, positions, query.more[i], out(i + 1));
    });
  }
  return answers;
}

std::vector<float> LanguageModel::logits(std::span<const Token> tokens,
                                         std::span<const int> positions) {
  const std::size_t width = info_.vocabulary;
  std::vector<float> all(positions.size() * width);
  for_logits(tokens, positions, [&](int first, const Matrix& logits) {
    backend_.read(logits, std::span(all).subspan(first * width, logits.rows * width));
  });
  return all;
}

}  // namespace umf
