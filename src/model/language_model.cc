#include "model/language_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/error.h"

namespace umf {

ModelInfo describe_model(std::string name, const Checkpoint& checkpoint, std::string_view backend) {
  const Family& family = *checkpoint.family;
  if (!family.diffusion) {
    throw Error(fmt::format("'{}' is a reward model ({}); it cannot write text", name,
                            family.architecture));
  }
  const AttentionShape& attention = checkpoint.architecture.attention;
  return {.name = std::move(name),
          .family = family.name,
          .fingerprint = fmt::format("{} {}", checkpoint.fingerprint(), backend),
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
      info_(describe_model(std::move(name), *checkpoint_, backend.name())),
      backend_(backend),
      residence_(backend.begin_model(checkpoint_->architecture.shape())),
      transformer_(backend, checkpoint_->architecture, checkpoint_->family->names,
                   checkpoint_->weights, {&checkpoint_->family->names.head, 1}) {
  const HostTensor head = checkpoint_->weights.matrix(
      checkpoint_->family->names.head, info_.vocabulary, checkpoint_->architecture.hidden);
  head_ = backend_.load_linear({&head, 1}, {});
}

Matrix LanguageModel::hidden_rows(std::span<const Token> tokens, std::span<const int> positions) {
  std::vector<int> rows(positions.begin(), positions.end());
  if (checkpoint_->family->shifted) {
    for (int& row : rows) row = std::max(row - 1, 0);
  }
  rows.resize(backend_.padded_rows(static_cast<int>(rows.size())), rows.back());
  return transformer_.forward(tokens, rows);
}

Matrix LanguageModel::room_for_logits(int rows) {
  const int part = backend_.logit_rows_at_once(rows, info_.vocabulary);
  if (logits_.rows < part) logits_ = backend_.allocate_logits(part, info_.vocabulary);
  return logits_.row_range(0, part);
}

std::vector<std::vector<Prediction>> LanguageModel::predict(std::span<const Query> batch) {
  std::vector<std::vector<Prediction>> answers;
  for (const Query& query : batch) {
    std::vector<Sampling> ways = {query.sampling};
    ways.insert(ways.end(), query.more.begin(), query.more.end());
    std::vector<Prediction>& answer = answers.emplace_back(query.positions.size() * ways.size());
    if (query.positions.empty()) continue;
    const Matrix hidden = hidden_rows(query.tokens, query.positions);
    backend_.predict_through(*head_, hidden, room_for_logits(hidden.rows), query.positions, ways,
                             answer);
  }
  return answers;
}

std::vector<float> LanguageModel::logits(std::span<const Token> tokens,
                                         std::span<const int> positions) {
  const std::size_t width = info_.vocabulary;
  const int wanted = static_cast<int>(positions.size());
  std::vector<float> all(positions.size() * width);
  if (positions.empty()) return all;
  const Matrix hidden = hidden_rows(tokens, positions), room = room_for_logits(hidden.rows);
  for (int first = 0; first < wanted; first += room.rows) {
    const int rows = std::min(room.rows, wanted - first);
    backend_.project_rows(*head_, hidden, first, room);
    backend_.read(room.row_range(0, rows), std::span(all).subspan(first * width, rows * width));
  }
  return all;
}

}  // namespace umf
