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
                            checkpoint.model_class.architecture));
  }
  const AttentionShape& attention = checkpoint.architecture.attention;
  return {.name = std::move(name),
          .family = family.name,
          .fingerprint = fmt::format("{} {}", checkpoint.fingerprint(), backend),
          .tokens = checkpoint.tokens,
          .vocabulary = checkpoint.architecture.vocabulary,
          .max_length = checkpoint.architecture.max_length,
          .block = attention.kind == AttentionKind::kBlockCausal ? attention.block : 0,
          .shifted = family.shifted,
          .tempered_scores = family.tempered_scores,
          .strategy = family.strategy,
          .commit = family.commit,
          .remask = family.remask,
          .temperature = family.temperature,
          .top_p = family.top_p,
          .edit = family.edit,
          .block_length = family.block_length,
          .grow = family.grow,
          .advice = checkpoint.advice};
}

LanguageModel::LanguageModel(std::string name, std::shared_ptr<const Checkpoint> checkpoint,
                             Backend& backend)
    : checkpoint_(std::move(checkpoint)),
      info_(describe_model(std::move(name), *checkpoint_, backend.name())),
      backend_(backend),
      residence_(backend.begin_model(checkpoint_->architecture.shape())),
      transformer_(backend, checkpoint_->architecture, checkpoint_->names, checkpoint_->weights,
                   checkpoint_->beside({&checkpoint_->head_name(), 1})) {
  const HostTensor head = checkpoint_->weights.matrix(checkpoint_->head_name(), info_.vocabulary,
                                                      checkpoint_->architecture.hidden);
  head_ = backend_.load_linear({&head, 1}, {});
}

namespace {

class KeyValuesAnchor final : public Anchor {
 public:
  explicit KeyValuesAnchor(std::shared_ptr<KeyValues> spare)
      : values(std::exchange(*spare, {})), spare_(std::move(spare)) {
    values.exact.clear();
    values.rows = 0;
  }
  ~KeyValuesAnchor() override { *spare_ = std::move(values); }
  KeyValuesAnchor(const KeyValuesAnchor&) = delete;
  KeyValuesAnchor& operator=(const KeyValuesAnchor&) = delete;

  KeyValues values;

 private:
  std::shared_ptr<KeyValues> spare_;
};

// The row before an active position, too, where it is the one that predicts it.
std::vector<int> active_rows(const Query& query, bool shifted) {
  std::vector<int> rows;
  for (const int position : query.active) {
    const int before = position - 1;
    if (shifted && before >= 0 && (rows.empty() || rows.back() != before)) rows.push_back(before);
    rows.push_back(position);
  }
  return rows;
}

KeyValues* values_of(Anchor* anchor) {
  return anchor == nullptr ? nullptr : &static_cast<KeyValuesAnchor*>(anchor)->values;
}

}  // namespace

double share_of_pass(const Checkpoint& checkpoint, const Query& query) {
  if (query.active.empty()) return 1;
  const Architecture& a = checkpoint.architecture;
  const double length = static_cast<double>(query.tokens.size()),
               wanted = static_cast<double>(query.positions.size()), hidden = a.hidden,
               q = a.query_cols();
  // Of a row's keys and values, and of the rest of a layer. The last one serves wanted rows alone.
  const double keys_values = hidden * 2 * a.kv_cols();
  const auto pass = [&](double rows) {
    double sum = wanted * hidden * a.vocabulary;
    for (int layer = 0; layer < a.layers; ++layer) {
      const double others = 2 * hidden * q + 3 * hidden * a.active_width(layer) + 2 * q * length;
      sum += rows * keys_values + (layer + 1 < a.layers ? rows : wanted) * others;
    }
    return sum;
  };
  const auto active = active_rows(query, checkpoint.shifted).size();
  return pass(static_cast<double>(active)) / pass(length);
}

std::unique_ptr<Anchor> LanguageModel::make_anchor() {
  return std::make_unique<KeyValuesAnchor>(spare_);
}

Matrix LanguageModel::hidden_rows(const Query& query) {
  const auto pad = [this](std::vector<int>& rows) {
    rows.resize(backend_.padded_rows(static_cast<int>(rows.size())), rows.back());
  };
  std::vector<int> rows(query.positions.begin(), query.positions.end());
  if (checkpoint_->shifted) {
    for (int& row : rows) row = std::max(row - 1, 0);
  }
  pad(rows);
  if (query.active.empty())
    return transformer_.forward(query.tokens, rows, values_of(query.anchor));
  std::vector<int> active = active_rows(query, checkpoint_->shifted);
  pad(active);
  return transformer_.forward_active(query.tokens, active, rows, *values_of(query.anchor));
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
    const Matrix hidden = hidden_rows(query);
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
  const Query query{.tokens = tokens, .positions = positions, .sampling = {}};
  const Matrix hidden = hidden_rows(query), room = room_for_logits(hidden.rows);
  for (int first = 0; first < wanted; first += room.rows) {
    const int rows = std::min(room.rows, wanted - first);
    backend_.project_rows(*head_, hidden, first, room);
    backend_.read(room.row_range(0, rows), std::span(all).subspan(first * width, rows * width));
  }
  return all;
}

}  // namespace umf
