#include "model/transformer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

// So that memory is seldom asked for again.
constexpr int rounded(int count) { return (count + 255) / 256 * 256; }

// Every row has several places at its experts: of very many rows, these would take more memory than
// the rest of a pass.
constexpr int kRoutedAtOnce = 1024;

}  // namespace

Transformer::Transformer(Backend& backend, const Architecture& architecture,
                         const TensorNames& names, const Weights& weights,
                         std::span<const std::string> also)
    : backend_(backend), architecture_(architecture) {
  const HostTransformer host = find_tensors(architecture_, names, weights, also);
  embedding_ = backend_.load_linear({&host.embedding, 1}, {});
  for (const HostLayer& layer : host.layers) layers_.push_back(load(layer));
  final_norm_ = backend_.load_gains(host.final_norm);
}

Transformer::Layer Transformer::load(const HostLayer& host) const {
  const auto gains = [&](const HostTensor& vector) {
    return vector.data != nullptr ? backend_.load_gains(vector) : nullptr;
  };
  Layer layer{.attention_norm = gains(host.attention_norm),
              .mlp_norm = gains(host.mlp_norm),
              .query_norm = gains(host.query_norm),
              .key_norm = gains(host.key_norm),
              .qkv = backend_.load_layer_linear(host.qkv, host.qkv_bias),
              .attention_out = backend_.load_layer_linear({&host.attention_out, 1}, {})};
  if (!host.gate_up.empty()) {
    layer.gate_up = backend_.load_layer_linear(host.gate_up, {});
    layer.down = backend_.load_layer_linear({&host.down, 1}, {});
  }
  if (!host.experts_down.empty()) {
    Mixtures& mixtures = backend_.mixtures();
    layer.router = mixtures.load_router(
        host.router, host.router_bias.data != nullptr ? &host.router_bias : nullptr,
        architecture_.mixture->routing);
    layer.experts_gate_up = mixtures.load_experts(host.experts_gate_up);
    layer.experts_down = mixtures.load_experts(host.experts_down);
  }
  return layer;
}

void Transformer::check_length(std::size_t length) const {
  if (std::cmp_less_equal(length, architecture_.max_length)) return;
  throw Error(
      fmt::format("{} tokens are more than the model's context of {}; shorten the prompt or the "
                  "answer",
                  length, architecture_.max_length));
}

Matrix Transformer::forward(std::span<const Token> tokens, std::span<const int> rows,
                            KeyValues* kept, int context) {
  const Architecture& a = architecture_;
  check_length(tokens.size());
  if (kept == nullptr && remembers()) kept = &own_;
  // Nothing after the last visible key can reach a wanted row.
  const int last = *std::max_element(rows.begin(), rows.end());
  const int end = visible_end(last, static_cast<int>(tokens.size()), context);
  const int begin = remembers() ? first_new_row(tokens, rows, *kept, context) : 0;
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
      rotate_both(qkv.columns(0, q + kv), positions);
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
      backend_.rotate(query, positions, *query_rotation_);
    }
    attention(layer, x, query, keys_values, positions, context);
    mlp(layer, x, h);
  }
  backend_.rms_norm(x, *final_norm_, a.norm_eps, x);
  if (kept != nullptr) {
    kept->rows = end;
    // What a block says of itself while it is worked on is not what later ones see of it.
    const int final = a.causal_context ? std::min(end, context) : end;
    if (remembers()) kept->exact.assign(tokens.begin(), tokens.begin() + final);
  }
  return x;
}

Matrix Transformer::forward_active(std::span<const Token> tokens, std::span<const int> active,
                                   std::span<const int> rows, KeyValues& kept, int context) {
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
    rotate_both(qkv.columns(0, q + kv), positions);
    backend_.scatter(qkv.columns(q, 2 * kv), active, keys_values);
    Matrix query = qkv.columns(0, q);
    if (n + 1 == a.layers) {
      query = scratch_.query.row_range(0, static_cast<int>(rows.size()));
      backend_.gather(qkv.columns(0, q), wanted, query);
      keep_wanted(x, h, wanted);
      positions.assign(rows.begin(), rows.end());
    }
    attention(layer, x, query, keys_values, positions, context);
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

// Queries, and behind them keys.
void Transformer::rotate_both(const Matrix& heads, std::span<const int> positions) const {
  if (query_rotation_ == rotation_) return backend_.rotate(heads, positions, *rotation_);
  const int q = architecture_.query_cols();
  backend_.rotate(heads.columns(0, q), positions, *query_rotation_);
  backend_.rotate(heads.columns(q, heads.cols - q), positions, *rotation_);
}

// x += Wo attention(query): `keys_values` holds every key that can be seen.
void Transformer::attention(const Layer& layer, const Matrix& x, const Matrix& query,
                            const Matrix& keys_values, std::span<const int> positions,
                            int context) {
  const int kv = architecture_.kv_cols();
  const Matrix attended = scratch_.attended.row_range(0, x.rows);
  attend(query, keys_values.columns(0, kv), keys_values.columns(kv, kv), positions, context,
         attended);
  backend_.project_add(attended, *layer.attention_out, x);
}

// Under a causal context the rows before it and those of the block, by runs of one kind: every row
// is computed by itself.
void Transformer::attend(const Matrix& query, const Matrix& keys, const Matrix& values,
                         std::span<const int> positions, int context, const Matrix& out) const {
  AttentionShape shape = architecture_.attention;
  if (!architecture_.causal_context)
    return backend_.attend(query, keys, values, positions, shape, out);
  for (int first = 0, end = 0; first < query.rows; first = end) {
    const bool before = positions[first] < context;
    while (end < query.rows && (positions[end] < context) == before) ++end;
    shape.kind = before ? AttentionKind::kCausal : AttentionKind::kFull;
    const int rows = end - first;
    backend_.attend(query.row_range(first, rows), keys, values, positions.subspan(first, rows),
                    shape, out.row_range(first, rows));
  }
}

// x += what the layer's MLP, the experts that rows go to, or both make of norm(x).
void Transformer::mlp(const Layer& layer, const Matrix& x, const Matrix& h) {
  const Matrix routed = layer.router ? scratch_.routed.row_range(0, x.rows) : Matrix{};
  if (layer.router) backend_.rms_norm(x, *layer.mlp_norm, architecture_.norm_eps, routed);
  if (layer.gate_up) dense(layer, x, h);
  if (layer.router) experts(layer, routed, x);
}

// x += Wdown( silu(Wgate h) * (Wup h) ) with h = norm(x).
void Transformer::dense(const Layer& layer, const Matrix& x, const Matrix& h) {
  const int width = layer.down->inputs;
  const Matrix gate_up = scratch_.gate_up.row_range(0, x.rows).columns(0, 2 * width);
  const Matrix gated = scratch_.gated.row_range(0, x.rows).columns(0, width);
  backend_.rms_norm(x, *layer.mlp_norm, architecture_.norm_eps, h);
  backend_.project_gated(h, *layer.gate_up, gate_up, gated);
  backend_.project_add(gated, *layer.down, x);
}

// The same of every row's experts, weighted, for rows that are normalised already.
void Transformer::experts(const Layer& layer, const Matrix& h, const Matrix& x) {
  Mixtures& mixtures = backend_.mixtures();
  Routes& routes = *scratch_.routes;
  for (int first = 0; first < x.rows; first += kRoutedAtOnce) {
    const int rows = std::min(kRoutedAtOnce, x.rows - first);
    const Matrix in = h.row_range(first, rows);
    mixtures.route(in, *layer.router, routes);
    const Matrix gate_up = scratch_.experts_gate_up.row_range(0, routes.places());
    const Matrix gated = gate_up.columns(0, layer.experts_down->inputs);
    backend_.project_gated(in, *layer.experts_gate_up, routes, gate_up, gated);
    mixtures.project_add(gated, *layer.experts_down, routes,
                         scratch_.experts_out.row_range(0, routes.places()),
                         x.row_range(first, rows));
  }
}

int Transformer::visible_end(int last, int length, int context) const {
  const AttentionShape& shape = architecture_.attention;
  if (!architecture_.causal_context) return shape.visible_keys(last, length);
  return last < context ? last + 1 : std::min(context + shape.block, length);
}

// The first row that has to be computed: after the blocks that `kept` shares with `tokens`, but not
// after a wanted row or, under a causal context, where the block begins that is worked on.
int Transformer::first_new_row(std::span<const Token> tokens, std::span<const int> rows,
                               const KeyValues& kept, int context) const {
  const auto differ =
      std::mismatch(kept.exact.begin(), kept.exact.end(), tokens.begin(), tokens.end());
  const int common = static_cast<int>(differ.first - kept.exact.begin());
  const int first = std::min(common, *std::min_element(rows.begin(), rows.end()));
  if (architecture_.causal_context) return std::min(first, context);
  const int block = architecture_.attention.kind == AttentionKind::kBlockCausal
                        ? architecture_.attention.block
                        : 1;
  return first / block * block;
}

void Transformer::reserve(int length, int rows) {
  const Architecture& a = architecture_;
  if (!rotation_ || rotation_->positions < length) {
    rotation_ = backend_.make_rotation(rounded(length), a.rotation());
    query_rotation_ =
        a.query_growth ? backend_.make_rotation(rounded(length), a.query_rotation()) : rotation_;
  }
  if (scratch_.rows >= rows) return;
  scratch_ = {};
  scratch_.rows = rounded(rows);
  scratch_.x = allocate(scratch_.rows, a.hidden);
  scratch_.h = backend_.layer_input(allocate(scratch_.rows, a.hidden));
  scratch_.qkv = allocate(scratch_.rows, a.query_cols() + 2 * a.kv_cols());
  scratch_.query = allocate(scratch_.rows, a.query_cols());
  scratch_.attended = allocate(scratch_.rows, a.query_cols());
  int width = 0;
  for (int layer = 0; layer < a.layers; ++layer) width = std::max(width, a.dense_width(layer));
  scratch_.gate_up = allocate(scratch_.rows, 2 * width);
  // In place of the gate, where it can stand there.
  scratch_.gated = backend_.layer_input(scratch_.gate_up.columns(0, width));
  if (a.mixture) reserve_experts(*a.mixture);
  scratch_.wanted_x = allocate(scratch_.rows, a.hidden);
  scratch_.wanted_h = backend_.layer_input(allocate(scratch_.rows, a.hidden));
}

void Transformer::reserve_experts(const MixtureShape& mixture) {
  const int places = std::min(scratch_.rows, kRoutedAtOnce) * mixture.routing.chosen;
  scratch_.routed = allocate(scratch_.rows, architecture_.hidden);
  scratch_.routes = backend_.mixtures().allocate_routes();
  scratch_.experts_gate_up = allocate(places, 2 * mixture.width);
  scratch_.experts_out = allocate(places, architecture_.hidden);
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
