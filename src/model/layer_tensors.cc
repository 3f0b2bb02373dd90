#include "model/layer_tensors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "backend/blocks.h"
#include "backend/widen.h"
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
  // Where a number is none, rows would go anywhere.
  HostTensor finite(const std::string& name, const HostTensor& tensor) const {
    std::vector<float> row(tensor.cols);
    for (int i = 0; i < tensor.rows; ++i) {
      const std::byte* from = tensor.data + i * row_bytes(tensor.type, tensor.cols);
      if (is_quantised(tensor.type)) {
        dequantise(tensor.type, from, row);
      } else {
        const HostTensor one{from, tensor.type, 1, tensor.cols};
        for (int j = 0; j < tensor.cols; ++j) row[j] = element(one, j);
      }
      if (std::ranges::all_of(row, [](float value) { return std::isfinite(value); })) continue;
      throw Error(
          fmt::format("{}: tensor '{}' has numbers that are not finite; no row can be sent "
                      "to experts by it",
                      weights_.where(), name));
    }
    return tensor;
  }
  void refuse_the_rest(std::span<const std::string> also) const {
    for (const auto& [name, tensor] : weights_.tensors()) {
      if (!used_.contains(name) && std::find(also.begin(), also.end(), name) == also.end()) {
        throw Error(
            fmt::format("{}: tensor '{}' is not part of this architecture; the configuration and "
                        "the weights do not belong together",
                        weights_.where(), name));
      }
    }
  }

 private:
  const Weights& weights_;
  std::set<std::string> used_;
};

class LayerFinder {
 public:
  LayerFinder(TensorSource& source, const Architecture& a, const TensorNames& names, int layer)
      : source_(source),
        a_(a),
        names_(names),
        layer_(layer),
        prefix_(fmt::format("{}{}.", names.layer, layer)) {}

  HostLayer find() {
    host_.attention_norm = vector(names_.attention_norm, a_.hidden);
    find_projections();
    if (a_.qk_norm) {
      host_.query_norm = vector(names_.query_norm, a_.attention.head_dim);
      host_.key_norm = vector(names_.key_norm, a_.attention.head_dim);
    }
    host_.attention_out = matrix(names_.attention_out, a_.hidden, a_.query_cols());
    host_.mlp_norm = vector(names_.mlp_norm, a_.hidden);
    const ExpertNames& e = names_.experts;
    if (a_.has_experts(layer_))
      find_experts(e);
    else
      find_dense(names_.gate, names_.up, names_.down);
    if (a_.has_experts(layer_) && a_.dense_width(layer_) > 0)
      find_dense(e.shared_gate, e.shared_up, e.shared_down);
    return std::move(host_);
  }

 private:
  HostTensor matrix(const std::string& name, int rows, int cols) {
    return source_.matrix(prefix_ + name, rows, cols);
  }
  HostTensor vector(const std::string& name, int size) {
    return source_.vector(prefix_ + name, size);
  }

  void find_projections() {
    const int q = a_.query_cols(), kv = a_.kv_cols();
    const auto add = [&](const std::string& name, int outputs) {
      host_.qkv.push_back(matrix(name + ".weight", outputs, a_.hidden));
      if (a_.qkv_bias) host_.qkv_bias.push_back(vector(name + ".bias", outputs));
    };
    if (!names_.query_key_value.empty()) return add(names_.query_key_value, q + 2 * kv);
    add(names_.query, q);
    add(names_.key, kv);
    add(names_.value, kv);
  }

  void find_dense(const std::string& gate, const std::string& up, const std::string& down) {
    const int width = a_.dense_width(layer_);
    host_.gate_up = {matrix(gate, width, a_.hidden), matrix(up, width, a_.hidden)};
    host_.down = matrix(down, a_.hidden, width);
  }

  void find_experts(const ExpertNames& e) {
    const MixtureShape& mixture = *a_.mixture;
    const int count = mixture.routing.experts, width = mixture.width;
    host_.router = source_.finite(prefix_ + e.router, matrix(e.router, count, a_.hidden));
    if (mixture.biased) host_.router_bias = source_.finite(prefix_ + e.bias, vector(e.bias, count));
    for (int n = 0; n < count; ++n) {
      const std::string own = fmt::format("{}{}.", e.expert, n);
      host_.experts_gate_up.push_back(
          {matrix(own + e.gate, width, a_.hidden), matrix(own + e.up, width, a_.hidden)});
      host_.experts_down.push_back({matrix(own + e.down, a_.hidden, width)});
    }
  }

  TensorSource& source_;
  const Architecture& a_;
  const TensorNames& names_;
  const int layer_;
  const std::string prefix_;
  HostLayer host_;
};

}  // namespace

HostTransformer find_tensors(const Architecture& a, const TensorNames& names,
                             const Weights& weights, std::span<const std::string> also) {
  TensorSource source(weights);
  HostTransformer host{.embedding = source.matrix(names.embedding, a.vocabulary, a.hidden),
                       .final_norm = source.vector(names.final_norm, a.hidden),
                       .layers = {}};
  for (int n = 0; n < a.layers; ++n) host.layers.push_back(LayerFinder(source, a, names, n).find());
  source.refuse_the_rest(also);
  return host;
}

}  // namespace umf
