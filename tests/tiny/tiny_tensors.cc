#include "tiny/tiny_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace umf {
namespace {

class TensorList {
 public:
  explicit TensorList(const std::string& dtype) : dtype_(dtype) {}

  void weight(const std::string& name, std::int64_t out, std::int64_t in) {
    list_.push_back({{name + ".weight", dtype_, {out, in}}, TinyRole::kWeight});
  }
  void head(const std::string& name, std::int64_t out, std::int64_t in) {
    list_.push_back({{name + ".weight", dtype_, {out, in}}, TinyRole::kHead});
  }
  void norm(const std::string& name, std::int64_t size) {
    list_.push_back({{name + ".weight", dtype_, {size}}, TinyRole::kNorm});
  }
  void bias(const std::string& name, std::int64_t size) {
    list_.push_back({{name + ".bias", dtype_, {size}}, TinyRole::kBias});
  }

  void router(const std::string& name, std::int64_t experts, std::int64_t in, bool biased) {
    list_.push_back({{name + ".weight", dtype_, {experts, in}}, TinyRole::kRouter});
    if (biased)
      list_.push_back({{name + ".expert_bias", dtype_, {experts}}, TinyRole::kRouterBias});
  }
  // Gate, up and down.
  void mlp(const std::string& name, std::int64_t width, std::int64_t hidden) {
    weight(name + "gate_proj", width, hidden);
    weight(name + "up_proj", width, hidden);
    weight(name + "down_proj", hidden, width);
  }

  // What can be computed, and some exporters store.
  void table(const std::string& name, std::int64_t size) {
    list_.push_back({{name, "F32", {size}}, TinyRole::kWeight});
  }

  std::vector<TinyTensor> sorted() && {
    std::sort(list_.begin(), list_.end(), [](const TinyTensor& a, const TinyTensor& b) {
      return a.header.name < b.header.name;
    });
    return std::move(list_);
  }

 private:
  std::string dtype_;
  std::vector<TinyTensor> list_;
};

std::vector<TinyTensor> llada_tensors(const TinySpec& spec, const TinyOptions& options) {
  const int kv = spec.hidden / spec.heads * spec.kv_heads;
  const std::string prefix = "model.transformer.";
  TensorList list(options.dtype);
  list.weight(prefix + "wte", spec.vocab, spec.hidden);
  for (int layer = 0; layer < spec.layers; ++layer) {
    const std::string block = fmt::format("{}blocks.{}.", prefix, layer);
    list.norm(block + "attn_norm", spec.hidden);
    list.weight(block + "q_proj", spec.hidden, spec.hidden);
    list.weight(block + "k_proj", kv, spec.hidden);
    list.weight(block + "v_proj", kv, spec.hidden);
    list.weight(block + "attn_out", spec.hidden, spec.hidden);
    list.norm(block + "ff_norm", spec.hidden);
    list.weight(block + "ff_proj", spec.mlp, spec.hidden);
    list.weight(block + "up_proj", spec.mlp, spec.hidden);
    list.weight(block + "ff_out", spec.hidden, spec.mlp);
    if (options.leftovers) list.table(block + "rotary_emb.inv_freq", spec.hidden / spec.heads / 2);
  }
  list.norm(prefix + "ln_f", spec.hidden);
  if (!options.tied) list.head(prefix + "ff_out", spec.vocab, spec.hidden);
  return std::move(list).sorted();
}

void add_score_head(TensorList& list, const TinySpec& spec) {
  list.weight("score.0", spec.hidden, spec.hidden);
  list.bias("score.0", spec.hidden);
  list.weight("score.2", 2, spec.hidden);
  list.bias("score.2", 2);
}

// Those that come from Qwen2 have biases on q, k and v.
bool has_biases(TinyFamily family) {
  using enum TinyFamily;
  return family == kDream || family == kDiffuCoder || family == kPrm || family == kOpenDcoder ||
         family == kFastDllm;
}

// Those that come from Qwen3 normalise the heads of q and k.
bool has_head_norms(TinyFamily family) {
  using enum TinyFamily;
  return family == kSdar || family == kDreamReasoner || family == kA2d || family == kLladaMoe ||
         family == kSdarMoe || family == kRnd1;
}

// The MLP of a layer, or its experts.
void add_mlp(TensorList& list, const TinySpec& spec, int layer, const std::string& block) {
  if (!spec.has_experts(layer)) return list.mlp(block + "mlp.", spec.mlp, spec.hidden);
  list.router(block + "mlp.gate", spec.experts, spec.hidden, spec.family == TinyFamily::kLlada2);
  for (int expert = 0; expert < spec.experts; ++expert)
    list.mlp(fmt::format("{}mlp.experts.{}.", block, expert), spec.expert_width, spec.hidden);
  if (spec.shared > 0)
    list.mlp(block + "mlp.shared_experts.", spec.shared * spec.expert_width, spec.hidden);
}

std::vector<TinyTensor> ling_tensors(const TinySpec& spec, const TinyOptions& options) {
  const int width = spec.head_width();
  TensorList list(options.dtype);
  list.weight("model.word_embeddings", spec.vocab, spec.hidden);
  for (int layer = 0; layer < spec.layers; ++layer) {
    const std::string block = fmt::format("model.layers.{}.", layer);
    list.norm(block + "input_layernorm", spec.hidden);
    list.weight(block + "attention.query_key_value", (spec.heads + 2 * spec.kv_heads) * width,
                spec.hidden);
    list.norm(block + "attention.query_layernorm", width);
    list.norm(block + "attention.key_layernorm", width);
    list.weight(block + "attention.dense", spec.hidden, spec.heads * width);
    list.norm(block + "post_attention_layernorm", spec.hidden);
    add_mlp(list, spec, layer, block);
  }
  list.norm("model.norm", spec.hidden);
  list.head("lm_head", spec.vocab, spec.hidden);
  if (options.leftovers) list.table("model.rotary_emb.inv_freq", width / 2);
  return std::move(list).sorted();
}

std::vector<TinyTensor> qwen_tensors(const TinySpec& spec, const TinyOptions& options) {
  const int q = spec.head_width() * spec.heads, kv = spec.head_width() * spec.kv_heads;
  const bool biases = has_biases(spec.family), tied = options.tied || spec.tied;
  const bool encoder = spec.family == TinyFamily::kNemotron;
  const std::string root = encoder ? "encoder." : "model.";
  TensorList list(options.dtype);
  list.weight(root + "embed_tokens", spec.vocab, spec.hidden);
  for (int layer = 0; layer < spec.layers; ++layer) {
    const std::string block = fmt::format("{}layers.{}.", root, layer);
    const auto projection = [&](const std::string& name, int size) {
      list.weight(block + name, size, spec.hidden);
      if (biases) list.bias(block + name, size);
    };
    list.norm(block + "input_layernorm", spec.hidden);
    projection("self_attn.q_proj", q);
    projection("self_attn.k_proj", kv);
    projection("self_attn.v_proj", kv);
    if (has_head_norms(spec.family)) {
      list.norm(block + "self_attn.q_norm", spec.head_width());
      list.norm(block + "self_attn.k_norm", spec.head_width());
    }
    list.weight(block + "self_attn.o_proj", spec.hidden, q);
    list.norm(block + "post_attention_layernorm", spec.hidden);
    add_mlp(list, spec, layer, block);
  }
  list.norm(root + "norm", spec.hidden);
  if (spec.family == TinyFamily::kPrm) {
    add_score_head(list, spec);
  } else if (!tied || options.spare_head) {
    list.head(encoder ? "diffusion_head" : "lm_head", spec.vocab, spec.hidden);
  }
  if (options.leftovers) list.table(root + "rotary_emb.inv_freq", spec.head_width() / 2);
  return std::move(list).sorted();
}

}  // namespace

std::vector<TinyTensor> tiny_tensors(const TinySpec& spec, const TinyOptions& options) {
  if (spec.family == TinyFamily::kLlada) return llada_tensors(spec, options);
  if (spec.family == TinyFamily::kLlada2) return ling_tensors(spec, options);
  return qwen_tensors(spec, options);
}

}  // namespace umf
