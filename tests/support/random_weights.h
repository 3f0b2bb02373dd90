// Random weights of any shape for benchmarks: what no disk has room for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/family.h"
#include "model/safetensors.h"

namespace umf {

// One block of random numbers that all tensors share, from different places in it on. Matrices are
// of the given type, vectors are bf16. Must outlive the weights.
class RandomWeights {
 public:
  // Tensors besides those of the architecture.
  using Extra = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

  RandomWeights(const Architecture& a, const TensorNames& n, const Extra& extra = {},
                DType type = DType::kBF16)
      : type_(type) {
    const std::size_t widest = std::max({a.vocabulary, a.mlp, a.hidden, a.query_cols()});
    if (is_quantised(type)) fill_blocks(widest * row_bytes(type, a.hidden) + kSlack);
    fill((is_quantised(type) ? 0 : widest * a.hidden) + kSlack);
    for (const auto& [name, shape] : extra) add(name, shape);
    matrix(n.embedding, a.vocabulary, a.hidden);
    vector(n.final_norm, a.hidden);
    if (!n.head.empty()) matrix(n.head, a.vocabulary, a.hidden);
    for (int layer = 0; layer < a.layers; ++layer) {
      const std::string p = n.layer + std::to_string(layer) + ".";
      vector(p + n.attention_norm, a.hidden);
      vector(p + n.mlp_norm, a.hidden);
      std::vector<std::pair<std::string, int>> inputs = {
          {n.query, a.query_cols()}, {n.key, a.kv_cols()}, {n.value, a.kv_cols()}};
      if (!n.query_key_value.empty())
        inputs = {{n.query_key_value, a.query_cols() + 2 * a.kv_cols()}};
      for (const auto& [name, outputs] : inputs) {
        matrix(p + name + ".weight", outputs, a.hidden);
        if (a.qkv_bias) vector(p + name + ".bias", outputs);
      }
      if (a.qk_norm) {
        vector(p + n.query_norm, a.attention.head_dim);
        vector(p + n.key_norm, a.attention.head_dim);
      }
      matrix(p + n.attention_out, a.hidden, a.query_cols());
      const ExpertNames& e = n.experts;
      if (!a.has_experts(layer))
        dense({p + n.gate, p + n.up, p + n.down}, a.mlp, a.hidden);
      else
        experts(a, e, p);
      if (a.has_experts(layer) && a.mixture->shared_width > 0)
        dense({p + e.shared_gate, p + e.shared_up, p + e.shared_down}, a.mixture->shared_width,
              a.hidden);
    }
  }
  Weights weights() const { return Weights::in_memory(tensors_); }

 private:
  static constexpr std::size_t kSlack = 1 << 20;

  // bf16 between -1/32 and 1/32: sign and mantissa at random, the exponent nearly so.
  void fill(std::size_t count) {
    numbers_.resize(count);
    std::uint64_t state = 0x9E3779B97F4A7C15;
    for (std::uint16_t& number : numbers_) {
      state = state * 6364136223846793005 + 1442695040888963407;
      const auto bits = static_cast<std::uint32_t>(state >> 40);
      number = static_cast<std::uint16_t>((bits & 0x807F) | (118 + (bits >> 8) % 4) << 7);
    }
  }
  // Factors and minima are such that most numbers are of that size, too.
  void fill_blocks(std::size_t bytes) {
    const std::size_t size = block_bytes(type_), factor = type_ == DType::kQ6_K ? 208 : 0;
    blocks_.resize(bytes / size * size);
    std::uint64_t state = 0x9E3779B97F4A7C15;
    for (std::byte& byte : blocks_) {
      state = state * 6364136223846793005 + 1442695040888963407;
      byte = static_cast<std::byte>(state >> 56);
    }
    const bool large = block_elements(type_) == 256;
    const int upper = type_ == DType::kQ6_K   ? 0
                      : large                 ? 0x02
                      : type_ == DType::kQ8_0 ? 0x0C
                                              : 0x18;
    for (std::size_t at = 0; at < blocks_.size(); at += size) {
      blocks_[at + factor + 1] = static_cast<std::byte>(upper);
      if (has_minimum(type_)) blocks_[at + 3] = static_cast<std::byte>(large ? 0x0C : 0xA4);
    }
  }
  void matrix(const std::string& name, int rows, int cols) {
    if (!is_quantised(type_)) return add(name, {rows, cols});
    const std::size_t size = block_bytes(type_);
    const std::size_t first = tensors_.size() * 101 % (kSlack / size) * size;
    const std::span<const std::byte> blocks(blocks_.data() + first, rows * row_bytes(type_, cols));
    tensors_[name] = {std::string(name_of(type_)), {rows, cols}, blocks};
  }
  void dense(const std::array<std::string, 3>& gate_up_down, int width, int hidden) {
    matrix(gate_up_down[0], width, hidden);
    matrix(gate_up_down[1], width, hidden);
    matrix(gate_up_down[2], hidden, width);
  }
  void experts(const Architecture& a, const ExpertNames& e, const std::string& layer) {
    const MixtureShape& mixture = *a.mixture;
    add(layer + e.router, {mixture.routing.experts, a.hidden});
    if (mixture.biased) vector(layer + e.bias, mixture.routing.experts);
    for (int expert = 0; expert < mixture.routing.experts; ++expert) {
      const std::string own = layer + e.expert + std::to_string(expert) + ".";
      dense({own + e.gate, own + e.up, own + e.down}, mixture.width, a.hidden);
    }
  }
  void vector(const std::string& name, int size) { add(name, {size}); }
  void add(const std::string& name, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t n : shape) count *= n;
    const std::size_t first = tensors_.size() * 4001 % kSlack;
    const std::span<const std::uint16_t> numbers(numbers_.data() + first, count);
    tensors_[name] = {"BF16", std::move(shape), std::as_bytes(numbers)};
  }

  DType type_;
  std::vector<std::uint16_t> numbers_;
  std::vector<std::byte> blocks_;
  std::map<std::string, StoredTensor> tensors_;
};

inline Architecture llada_8b() {
  return {.layers = 32,
          .hidden = 4096,
          .mlp = 12288,
          .vocabulary = 126464,
          .max_length = 4096,
          .attention = {32, 32, 128, AttentionKind::kFull, 1},
          .rope_theta = 5e5,
          .norm_eps = 1e-5f};
}

// Without the bias of its routers, which would send all rows to the same experts where everything
// is random.
inline Architecture llada2_mini() {
  MixtureShape mixture{.routing = {.experts = 256,
                                   .chosen = 8,
                                   .sigmoid = true,
                                   .normalised = true,
                                   .scale = 2.5f,
                                   .groups = 8,
                                   .kept_groups = 4},
                       .width = 512,
                       .shared_width = 512,
                       .layers = std::vector<bool>(20, true)};
  mixture.layers.front() = false;
  return {.layers = 20,
          .hidden = 2048,
          .mlp = 5120,
          .vocabulary = 157184,
          .max_length = 32768,
          .attention = {16, 4, 128, AttentionKind::kBlockCausal, 32},
          .rope_theta = 6e5,
          .rotated = 64,
          .norm_eps = 1e-6f,
          .qk_norm = true,
          .mixture = std::move(mixture)};
}

inline Architecture dream_7b() {
  return {.layers = 28,
          .hidden = 3584,
          .mlp = 18944,
          .vocabulary = 152064,
          .max_length = 4096,
          .attention = {28, 4, 128, AttentionKind::kFull, 1},
          .rope_theta = 1e6,
          .norm_eps = 1e-6f,
          .qkv_bias = true};
}

}  // namespace umf
