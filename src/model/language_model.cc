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
          .causal_context = checkpoint.architecture.causal_context,
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
                             Backend& backend, std::uint64_t experts_on_host)
    : checkpoint_(std::move(checkpoint)),
      info_(describe_model(std::move(name), *checkpoint_, backend.name())),
      backend_(backend),
      residence_(backend.begin_model(checkpoint_->architecture.shape(), experts_on_host)),
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

// Whether the row before a position is the one that predicts it.
bool reads_before(const Checkpoint& checkpoint, int prompt, int position) {
  if (checkpoint.shifted) return position > 0;
  const Architecture& a = checkpoint.architecture;
  return a.causal_context && position > 0 && (position - prompt) % a.attention.block == 0;
}

// The row before an active position, too, where it is the one that predicts it.
std::vector<int> active_rows(const Checkpoint& checkpoint, const Query& query) {
  std::vector<int> rows;
  for (const int position : query.active) {
    const int before = position - 1;
    if (reads_before(checkpoint, query.prompt, position) && (rows.empty() || rows.back() != before))
      rows.push_back(before);
    rows.push_back(position);
  }
  return rows;
}

// Where the block of a position begins, for models with a causal context.
int block_begin(const Architecture& a, int prompt, int position) {
  return a.causal_context ? position - (position - prompt) % a.attention.block : 0;
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
  const auto active = active_rows(checkpoint, query).size();
  return pass(static_cast<double>(active)) / pass(length);
}

std::unique_ptr<Anchor> LanguageModel::make_anchor() {
  return std::make_unique<KeyValuesAnchor>(spare_);
}

std::size_t LanguageModel::end_of_pass(const Query& query, std::size_t first) const {
  const Architecture& a = checkpoint_->architecture;
  if (!a.causal_context) return query.positions.size();
  const auto begin = [&](std::size_t i) {
    assert(query.positions[i] >= query.prompt);
    return block_begin(a, query.prompt, query.positions[i]);
  };
  std::size_t end = first + 1;
  while (end < query.positions.size() && begin(end) == begin(first)) ++end;
  if (query.anchor != nullptr && (first > 0 || end < query.positions.size()))
    throw Error(fmt::format("{} looks at one block in an anchored pass", info_.name));
  return end;
}

Matrix LanguageModel::hidden_rows(const Query& query) {
  const auto pad = [this](std::vector<int>& rows) {
    rows.resize(backend_.padded_rows(static_cast<int>(rows.size())), rows.back());
  };
  std::vector<int> rows(query.positions.begin(), query.positions.end());
  const int context = block_begin(checkpoint_->architecture, query.prompt, query.positions.front());
  for (int& row : rows) row -= reads_before(*checkpoint_, query.prompt, row) ? 1 : 0;
  pad(rows);
  KeyValues* const kept = values_of(query.anchor);
  if (query.active.empty()) return transformer_.forward(query.tokens, rows, kept, context);
  std::vector<int> active = active_rows(*checkpoint_, query);
  // What stands behind all that the whole pass saw is seen by none of the rows.
  std::erase_if(active, [&](int row) { return row >= kept->rows; });
  pad(active);
  return transformer_.forward_active(query.tokens, active, rows, *kept, context);
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
    const std::size_t wanted = query.positions.size();
    std::vector<Prediction>& answer = answers.emplace_back(wanted * ways.size());
    for (std::size_t first = 0, end = 0; first < wanted; first = end) {
      end = end_of_pass(query, first);
      Query part = query;
      part.positions = query.positions.subspan(first, end - first);
      std::vector<Prediction> some(part.positions.size() * ways.size());
      const Matrix hidden = hidden_rows(part);
      backend_.predict_through(*head_, hidden, room_for_logits(hidden.rows), part.positions, ways,
                               some);
      for (std::size_t way = 0; way < ways.size(); ++way)
        std::copy_n(some.begin() + way * part.positions.size(), part.positions.size(),
                    answer.begin() + way * wanted + first);
    }
  }
  return answers;
}

std::vector<float> LanguageModel::logits(std::span<const Token> tokens,
                                         std::span<const int> positions, int prompt) {
  const std::size_t width = info_.vocabulary;
  std::vector<float> all(positions.size() * width);
  Query query{.tokens = tokens, .positions = positions, .sampling = {}, .prompt = prompt};
  for (std::size_t begin = 0, end = 0; begin < positions.size(); begin = end) {
    query.positions = positions;
    end = end_of_pass(query, begin);
    query.positions = positions.subspan(begin, end - begin);
    const int wanted = static_cast<int>(end - begin);
    const Matrix hidden = hidden_rows(query), room = room_for_logits(hidden.rows);
    for (int first = 0; first < wanted; first += room.rows) {
      const int rows = std::min(room.rows, wanted - first);
      backend_.project_rows(*head_, hidden, first, room);
      backend_.read(room.row_range(0, rows),
                    std::span(all).subspan((begin + first) * width, rows * width));
    }
  }
  return all;
}

}  // namespace umf
