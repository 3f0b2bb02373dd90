#include "model/transformer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

// Looks up tensors by name and shape, and knows at the end which were never asked for.
class TensorSource {
 public:
  explicit TensorSource(const Weights& weights) : weights_(weights) {}

  HostTensor matrix(const std::string& name, int rows, int cols) {
    used_.insert(name);
    return weights_.matrix(name, rows, cols);
  }
  HostTensor vector(const std::string& name, int size) {
    used_.insert(name);
    return weights_.vector(name, size);
  }
  void refuse_the_rest(std::span<const std::string> also) const {
    for (const auto& [name, tensor] : weights_.tensors()) {
      if (!used_.contains(name) && std::find(also.begin(), also.end(), name) == also.end()) {
        throw Error(
            fmt::format("tensor '{}' is not part of this architecture; the configuration and the "
                        "weights do not belong together",
                        name));
      }
    }
  }

 private:
  const Weights& weights_;
  std::set<std::string> used_;
};

// The host tensors of one layer, all found and checked before anything is loaded.
struct HostLayer {
  HostTensor attention_norm, mlp_norm, attention_out, down, query_norm, key_norm;
  std::vector<HostTensor> qkv, qkv_bias, gate_up;
};

HostLayer find_layer(TensorSource& source, const Architecture& a, const TensorNames& names, int n) {
  const std::string prefix = names.layer + std::to_string(n) + ".";
  HostLayer layer;
  layer.attention_norm = source.vector(prefix + names.attention_norm, a.hidden);
  const auto add = [&](const std::string& name, int outputs) {
    layer.qkv.push_back(source.matrix(prefix + name + ".weight", outputs, a.hidden));
    if (a.qkv_bias) layer.qkv_bias.push_back(source.vector(prefix + name + ".bias", outputs));
  };
  add(names.query, a.query_cols());
  add(names.key, a.kv_cols());
  add(names.value, a.kv_cols());
  if (a.qk_norm) {
    layer.query_norm = source.vector(prefix + names.query_norm, a.attention.head_dim);
    layer.key_norm = source.vector(prefix + names.key_norm, a.attention.head_dim);
  }
  layer.attention_out = source.matrix(prefix + names.attention_out, a.hidden, a.query_cols());
  layer.mlp_norm = source.vector(prefix + names.mlp_norm, a.hidden);
  layer.gate_up = {source.matrix(prefix + names.gate, a.mlp, a.hidden),
                   source.matrix(prefix + names.up, a.mlp, a.hidden)};
  layer.down = source.matrix(prefix + names.down, a.hidden, a.mlp);
  return layer;
}

// So that memory is seldom asked for again.
constexpr int rounded(int count) { return (count + 255) / 256 * 256; }

}  // namespace

Transformer::Transformer(Backend& backend, const Architecture& architecture,
                         const TensorNames& names, const Weights& weights,
                         std::span<const std::string> also)
    : backend_(backend), architecture_(architecture) {
  const Architecture& a = architecture_;
  TensorSource source(weights);
  const HostTensor embedding = source.matrix(names.embedding, a.vocabulary, a.hidden);
  const HostTensor final_norm = source.vector(names.final_norm, a.hidden);
  std::vector<HostLayer> host;
  for (int n = 0; n < a.layers; ++n) host.push_back(find_layer(source, a, names, n));
  source.refuse_the_rest(also);

  const auto one = [&](const HostTensor& tensor) {
    return backend_.load_layer_linear({&tensor, 1}, {});
  };
  const auto of_heads = [&](const HostTensor& gains) {
    return a.qk_norm ? backend_.load_gains(gains) : nullptr;
  };
  embedding_ = backend_.load_linear({&embedding, 1}, {});
  for (const HostLayer& layer : host) {
    layers_.push_back({.attention_norm = backend_.load_gains(layer.attention_norm),
                       .mlp_norm = backend_.load_gains(layer.mlp_norm),
                       .query_norm = of_heads(layer.query_norm),
                       .key_norm = of_heads(layer.key_norm),
                       .qkv = backend_.load_layer_linear(layer.qkv, layer.qkv_bias),
                       .attention_out = one(layer.attention_out),
                       .gate_up = backend_.load_layer_linear(layer.gate_up, {}),
                       .down = one(layer.down)});
  }
  final_norm_ = backend_.load_gains(final_norm);
}

void Transformer::check_length(std::size_t length) const {
  if (std::cmp_less_equal(length, architecture_.max_length)) return;
  throw Error(
      fmt::format("{} tokens are more than the model's context of {}; shorten the prompt or the "
                  "answer",
                  length, architecture_.max_length));
}

Matrix Transformer::forward(std::span<const Token> tokens, std::span<const int> rows,
                            KeyValues* kept) {
  const Architecture& a = architecture_;
  check_length(tokens.size());
  if (kept == nullptr && remembers()) kept = &own_;
  // Nothing after the last visible key can reach a wanted row.
  const int last = *std::max_element(rows.begin(), rows.end());
  const int end = a.attention.visible_keys(last, static_cast<int>(tokens.size()));
  const int begin = remembers() ? first_new_row(tokens, rows, *kept) : 0;
  reserve(end, std::max(end - begin, static_cast<int>(rows.size())));
  if (kept != nullptr) {
    reserve(end, *kept);
    kept->exact.clear();  // not valid while it is being rewritten
  }

  std::vector<int> positions(end - begin), wanted(rows.begin(), rows.end());
  std::iota(positions.begin(), positions.end(), begin);
  for (int& row : wanted) row -= begin;
  Matrix x = scratch_.x.row_range(0, end - begin);
  Matrix h = scratch_.h.row_range(0, end - begin);

  backend_.embed(*embedding_, tokens.subspan(begin, end - begin), x);
  const int q = a.query_cols(), kv = a.kv_cols();
  const Matrix qkv = scratch_.qkv.row_range(0, end - begin);
  for (int n = 0; n < a.layers; ++n) {
    const Layer& layer = layers_[n];
    const bool last_layer = n + 1 == a.layers;
    backend_.rms_norm(x, *layer.attention_norm, a.norm_eps, h);
    Matrix query = qkv.columns(0, q), keys_values = qkv.columns(q, 2 * kv);
    if (kept == nullptr && !last_layer) {
      backend_.project(h, *layer.qkv, 0, qkv);
      norm_heads(qkv.columns(0, q), layer.query_norm);
      norm_heads(qkv.columns(q, kv), layer.key_norm);
      backend_.rotate(qkv.columns(0, q + kv), positions, *rotation_);
    } else {
      if (kept != nullptr) keys_values = kept->layers[n].row_range(0, end);
      const Matrix fresh = keys_values.row_range(keys_values.rows - (end - begin), end - begin);
      backend_.project(h, *layer.qkv, q, fresh);
      norm_heads(fresh.columns(0, kv), layer.key_norm);
      backend_.rotate(fresh.columns(0, kv), positions, *rotation_);
      if (last_layer) {
        // Its keys and values came from all rows; the rest serves the wanted rows alone.
        keep_wanted(x, h, wanted);
        positions.assign(rows.begin(), rows.end());
      }
      query = scratch_.query.row_range(0, x.rows);
      backend_.project(h, *layer.qkv, 0, query);
      norm_heads(query, layer.query_norm);
      backend_.rotate(query, positions, *rotation_);
    }
    attention(layer, x, query, keys_values, positions);
    mlp(layer, x, h);
  }
  backend_.rms_norm(x, *final_norm_, a.norm_eps, x);
  if (kept != nullptr) {
    kept->rows = end;
    if (remembers()) kept->exact.assign(tokens.begin(), tokens.begin() + end);
  }
  return x;
}

Matrix Transformer::forward_active(std::span<const Token> tokens, std::span<const int> active,
                                   std::span<const int> rows, KeyValues& kept) {
  const Architecture& a = architecture_;
  const int count = static_cast<int>(active.size()), q = a.query_cols(), kv = a.kv_cols();
  assert(std::ranges::max(active) < kept.rows && std::cmp_less_equal(kept.rows, tokens.size()));
  reserve(kept.rows, std::max(count, static_cast<int>(rows.size())));
  // What follows the first of them no longer is what a whole pass would have left.
  kept.exact.resize(std::min<std::size_t>(kept.exact.size(), std::ranges::min(active)));

  std::vector<Token> active_tokens;
  for (const int row : active) active_tokens.push_back(tokens[row]);
  std::vector<int> wanted, positions(active.begin(), active.end());
  for (const int row : rows)
    wanted.push_back(static_cast<int>(std::ranges::find(active, row) - active.begin()));
  Matrix x = scratch_.x.row_range(0, count), h = scratch_.h.row_range(0, count);
  backend_.embed(*embedding_, active_tokens, x);
  const Matrix qkv = scratch_.qkv.row_range(0, count);
  for (int n = 0; n < a.layers; ++n) {
    const Layer& layer = layers_[n];
    const Matrix keys_values = kept.layers[n].row_range(0, kept.rows);
    backend_.rms_norm(x, *layer.attention_norm, a.norm_eps, h);
    backend_.project(h, *layer.qkv, 0, qkv);
    norm_heads(qkv.columns(0, q), layer.query_norm);
    norm_heads(qkv.columns(q, kv), layer.key_norm);
    backend_.rotate(qkv.columns(0, q + kv), positions, *rotation_);
    backend_.scatter(qkv.columns(q, 2 * kv), active, keys_values);
    Matrix query = qkv.columns(0, q);
    if (n + 1 == a.layers) {
      query = scratch_.query.row_range(0, static_cast<int>(rows.size()));
      backend_.gather(qkv.columns(0, q), wanted, query);
      keep_wanted(x, h, wanted);
      positions.assign(rows.begin(), rows.end());
    }
    attention(layer, x, query, keys_values, positions);
    mlp(layer, x, h);
  }
  backend_.rms_norm(x, *final_norm_, a.norm_eps, x);
  return x;
}

void Transformer::keep_wanted(Matrix& x, Matrix& h, std::span<const int> wanted) {
  const int count = static_cast<int>(wanted.size());
  backend_.gather(x, wanted, scratch_.wanted_x.row_range(0, count));
  backend_.gather(h, wanted, scratch_.wanted_h.row_range(0, count));
  x = scratch_.wanted_x.row_range(0, count);
  h = scratch_.wanted_h.row_range(0, count);
}

void Transformer::norm_heads(const Matrix& heads, const std::shared_ptr<const Gains>& gains) const {
  if (gains) backend_.norm_heads(heads, *gains, architecture_.norm_eps);
}

// x += Wo attention(query): `keys_values` holds every key that can be seen.
void Transformer::attention(const Layer& layer, const Matrix& x, const Matrix& query,
                            const Matrix& keys_values, std::span<const int> positions) {
  const int kv = architecture_.kv_cols();
  const Matrix attended = scratch_.attended.row_range(0, x.rows);
  backend_.attend(query, keys_values.columns(0, kv), keys_values.columns(kv, kv), positions,
                  architecture_.attention, attended);
  backend_.project_add(attended, *layer.attention_out, x);
}

// x += Wdown( silu(Wgate h) * (Wup h) ) with h = norm(x).
void Transformer::mlp(const Layer& layer, const Matrix& x, const Matrix& h) {
  const Matrix gate_up = scratch_.gate_up.row_range(0, x.rows);
  const Matrix gated = scratch_.gated.row_range(0, x.rows);
  backend_.rms_norm(x, *layer.mlp_norm, architecture_.norm_eps, h);
  backend_.project(h, *layer.gate_up, 0, gate_up);
  backend_.gated_silu(gate_up, gated);
  backend_.project_add(gated, *layer.down, x);
}

// The first row that has to be computed: after the blocks that `kept` shares with `tokens`, but not
// after a wanted row.
int Transformer::first_new_row(std::span<const Token> tokens, std::span<const int> rows,
                               const KeyValues& kept) const {
  const auto differ =
      std::mismatch(kept.exact.begin(), kept.exact.end(), tokens.begin(), tokens.end());
  const int common = static_cast<int>(differ.first - kept.exact.begin());
  const int first = std::min(common, *std::min_element(rows.begin(), rows.end()));
  const int block = architecture_.attention.kind == AttentionKind::kBlockCausal
                        ? architecture_.attention.block
                        : 1;
  return first / block * block;
}

void Transformer::reserve(int length, int rows) {
  const Architecture& a = architecture_;
  if (!rotation_ || rotation_->positions < length) {
    rotation_ = backend_.make_rotation(rounded(length), a.rotation());
  }
  if (scratch_.rows >= rows) return;
  scratch_ = {};
  scratch_.rows = rounded(rows);
  scratch_.x = allocate(scratch_.rows, a.hidden);
  scratch_.h = backend_.layer_input(allocate(scratch_.rows, a.hidden));
  scratch_.qkv = allocate(scratch_.rows, a.query_cols() + 2 * a.kv_cols());
  scratch_.query = allocate(scratch_.rows, a.query_cols());
  scratch_.attended = allocate(scratch_.rows, a.query_cols());
  scratch_.gate_up = allocate(scratch_.rows, 2 * a.mlp);
  // In place of the gate, where it can stand there.
  scratch_.gated = backend_.layer_input(scratch_.gate_up.columns(0, a.mlp));
  scratch_.wanted_x = allocate(scratch_.rows, a.hidden);
  scratch_.wanted_h = backend_.layer_input(allocate(scratch_.rows, a.hidden));
}

// What is exact stays.
void Transformer::reserve(int length, KeyValues& kept) const {
  if (!kept.layers.empty() && kept.layers.front().rows >= length) return;
  std::vector<int> exact(kept.exact.size());
  std::iota(exact.begin(), exact.end(), 0);
  kept.layers.resize(architecture_.layers);
  for (Matrix& layer : kept.layers) {
    const Matrix grown = allocate(rounded(length), 2 * architecture_.kv_cols());
    if (!exact.empty())
      backend_.gather(layer, exact, grown.row_range(0, static_cast<int>(exact.size())));
    layer = grown;
  }
}

}  // namespace umf
