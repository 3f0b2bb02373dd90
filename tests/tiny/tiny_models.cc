#include "tiny/tiny_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "tiny/safetensors_writer.h"
#include "tiny/tiny_tokenizers.h"

namespace umf {
namespace {

using OrderedJson = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr double kNormStd = 0.1, kBiasStd = 0.1;

const std::vector<TinySpec>& specs() {
  using enum TinyFamily;
  static const std::vector<TinySpec> table = {
      {.name = "tiny-llada", .family = kLlada, .kv_heads = 4},
      {.name = "tiny-llada-gqa", .family = kLlada, .kv_heads = 2},
      {.name = "tiny-dream",
       .family = kDream,
       .layers = 3,
       .hidden = 56,
       .heads = 7,
       .kv_heads = 1,
       .mlp = 152,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-dream-gqa",
       .family = kDream,
       .layers = 2,
       .hidden = 112,
       .heads = 14,
       .kv_heads = 2,
       .mlp = 152,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-diffucoder",
       .family = kDiffuCoder,
       .layers = 3,
       .hidden = 56,
       .heads = 7,
       .kv_heads = 1,
       .mlp = 152,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-sdc",
       .family = kStableDiffCoder,
       .heads = 8,
       .kv_heads = 2,
       .mlp = 112,
       .vocab = 288,
       .eps = 1e-6},
      {.name = "tiny-prm",
       .family = kPrm,
       .hidden = 56,
       .heads = 7,
       .kv_heads = 1,
       .mlp = 152,
       .theta = 1e4,
       .eps = 1e-5},
  };
  return table;
}

// What a tensor holds decides its distribution.
enum class Role { kWeight, kHead, kNorm, kBias };

struct Tensor {
  TensorHeader header;
  Role role;
};

// ---------------------------------------------------------------------------------------------------
// Tensors of the families (spec: models 2)

class TensorList {
 public:
  explicit TensorList(const std::string& dtype) : dtype_(dtype) {}

  void weight(const std::string& name, std::int64_t out, std::int64_t in) {
    list_.push_back({{name + ".weight", dtype_, {out, in}}, Role::kWeight});
  }
  void head(const std::string& name, std::int64_t out, std::int64_t in) {
    list_.push_back({{name + ".weight", dtype_, {out, in}}, Role::kHead});
  }
  void norm(const std::string& name, std::int64_t size) {
    list_.push_back({{name + ".weight", dtype_, {size}}, Role::kNorm});
  }
  void bias(const std::string& name, std::int64_t size) {
    list_.push_back({{name + ".bias", dtype_, {size}}, Role::kBias});
  }

  // In the order of the names, as the reference writer leaves them.
  std::vector<Tensor> sorted() && {
    std::sort(list_.begin(), list_.end(),
              [](const Tensor& a, const Tensor& b) { return a.header.name < b.header.name; });
    return std::move(list_);
  }

 private:
  std::string dtype_;
  std::vector<Tensor> list_;
};

std::vector<Tensor> llada_tensors(const TinySpec& spec, const std::string& dtype) {
  const int kv = spec.hidden / spec.heads * spec.kv_heads;
  const std::string prefix = "model.transformer.";
  TensorList list(dtype);
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
  }
  list.norm(prefix + "ln_f", spec.hidden);
  list.head(prefix + "ff_out", spec.vocab, spec.hidden);
  return std::move(list).sorted();
}

void add_score_head(TensorList& list, const TinySpec& spec) {
  list.weight("score.0", spec.hidden, spec.hidden);
  list.bias("score.0", spec.hidden);
  list.weight("score.2", 2, spec.hidden);
  list.bias("score.2", 2);
}

// Dream, DiffuCoder and the reward model have biases on q, k and v; Stable-DiffCoder has none.
std::vector<Tensor> qwen_tensors(const TinySpec& spec, const std::string& dtype) {
  const int kv = spec.hidden / spec.heads * spec.kv_heads;
  const bool biases = spec.family != TinyFamily::kStableDiffCoder;
  TensorList list(dtype);
  list.weight("model.embed_tokens", spec.vocab, spec.hidden);
  for (int layer = 0; layer < spec.layers; ++layer) {
    const std::string block = fmt::format("model.layers.{}.", layer);
    const auto projection = [&](const std::string& name, int size) {
      list.weight(block + name, size, spec.hidden);
      if (biases) list.bias(block + name, size);
    };
    list.norm(block + "input_layernorm", spec.hidden);
    projection("self_attn.q_proj", spec.hidden);
    projection("self_attn.k_proj", kv);
    projection("self_attn.v_proj", kv);
    list.weight(block + "self_attn.o_proj", spec.hidden, spec.hidden);
    list.norm(block + "post_attention_layernorm", spec.hidden);
    list.weight(block + "mlp.gate_proj", spec.mlp, spec.hidden);
    list.weight(block + "mlp.up_proj", spec.mlp, spec.hidden);
    list.weight(block + "mlp.down_proj", spec.hidden, spec.mlp);
  }
  list.norm("model.norm", spec.hidden);
  if (spec.family == TinyFamily::kPrm) {
    add_score_head(list, spec);
  } else {
    list.head("lm_head", spec.vocab, spec.hidden);
  }
  return std::move(list).sorted();
}

std::vector<Tensor> tensors_of(const TinySpec& spec, const std::string& dtype) {
  return spec.family == TinyFamily::kLlada ? llada_tensors(spec, dtype) : qwen_tensors(spec, dtype);
}

// ---------------------------------------------------------------------------------------------------
// Numbers

// Standard normal as the sum of twelve uniforms (Irwin-Hall), minus six. The sum is exact in
// integers; turning it into a double is exact too, so no step depends on the machine's arithmetic.
class PhiloxNormal {
 public:
  PhiloxNormal(std::uint64_t seed, const std::string& tensor)
      : seed_(seed), key_(fnv1a64(tensor)) {}

  double operator()(std::uint64_t index) const {
    std::int64_t sum = 6 - (std::int64_t{6} << 32);  // the uniforms are (word + 1/2) / 2^32
    for (std::uint32_t call = 0; call < 3; ++call) {
      const auto words = philox(
          {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32) << 2 | call,
           static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)},
          {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
      for (const std::uint32_t word : words) sum += word;
    }
    return static_cast<double>(sum) * 0x1p-32;
  }

 private:
  std::uint64_t seed_, key_;
};

// One SplitMix64 word per number, its four quarters summed: close enough to normal for benchmarks.
class QuickNormal {
 public:
  QuickNormal(std::uint64_t seed, const std::string& tensor)
      : key_(fnv1a64(tensor) ^ seed * 0xD1342543DE82EF95) {}

  double operator()(std::uint64_t index) const {
    std::uint64_t word = key_ + (index + 1) * 0x9E3779B97F4A7C15;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    word ^= word >> 31;
    const auto sum = static_cast<std::int64_t>((word & 0xFFFF) + (word >> 16 & 0xFFFF) +
                                               (word >> 32 & 0xFFFF) + (word >> 48));
    constexpr double kScale = 1.7320508 / 65536;  // the sum has variance 2^32 / 3
    return static_cast<double>(sum - 2 * 65535) * kScale;
  }

 private:
  std::uint64_t key_;
};

enum class Storage { kF32, kBF16, kF16 };

Storage storage_of(const std::string& dtype) {
  return dtype == "F32" ? Storage::kF32 : dtype == "BF16" ? Storage::kBF16 : Storage::kF16;
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// Finite values only. Below 2^-14 halves are multiples of 2^-24; above, a float's exponent is
// rebiased and 13 bits of its fraction are rounded away. A carry may run into the exponent, which
// is right.
std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  if (magnitude >= 0x477FF000) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (magnitude < 0x38800000) {
    // Adding 1/2 puts the multiple of 2^-24 into the last bits, rounded to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000));
  }
  const std::uint32_t rebiased = magnitude - (112u << 23);
  return static_cast<std::uint16_t>(sign | ((rebiased + 0xFFF + (rebiased >> 13 & 1)) >> 13));
}

// Little-endian bytes of `value` in the storage type.
void put_number(char* out, float value, Storage dtype) {
  const std::uint32_t bits = dtype == Storage::kF32    ? std::bit_cast<std::uint32_t>(value)
                             : dtype == Storage::kBF16 ? to_bf16(value)
                                                       : to_f16(value);
  for (int i = 0, size = dtype == Storage::kF32 ? 4 : 2; i < size; ++i)
    out[i] = static_cast<char>(bits >> (8 * i));
}

// Whether row `row` of the head belongs to a token that ends a text or masks a cell.
bool is_loud(const TinyTokens& ids, std::uint64_t row) {
  const auto token = static_cast<Token>(row);
  return token == ids.eos || token == ids.end_of_turn || token == ids.mask;
}

template <class Normal>
void append_tensor(SafetensorsStream& stream, const Tensor& tensor, const TinySpec& spec,
                   std::uint64_t seed) {
  const Normal normal(seed, tensor.header.name);
  const TinyTokens ids = tiny_tokens(spec.family);
  const auto number = [&](std::uint64_t index) {
    switch (tensor.role) {
      case Role::kNorm:
        return 1 + kNormStd * normal(index);
      case Role::kBias:
        return kBiasStd * normal(index);
      case Role::kHead:
        if (is_loud(ids, index / spec.hidden))
          return spec.weight_std * spec.special_loudness * normal(index);
        break;
      case Role::kWeight:
        break;
    }
    return spec.weight_std * normal(index);
  };
  constexpr std::uint64_t kChunk = 1 << 18;
  const std::uint64_t count = tensor.header.elements();
  const Storage storage = storage_of(tensor.header.dtype);
  const std::uint64_t size = storage == Storage::kF32 ? 4 : 2;
  std::string bytes(std::min(count, kChunk) * size, '\0');
  for (std::uint64_t first = 0; first < count; first += kChunk) {
    const std::uint64_t numbers = std::min(kChunk, count - first);
    for (std::uint64_t i = 0; i < numbers; ++i)
      put_number(&bytes[i * size], static_cast<float>(number(first + i)), storage);
    stream.append(std::string_view(bytes).substr(0, numbers * size));
  }
}

template <class Normal>
void write_shard(const fs::path& path, const std::vector<Tensor>& tensors, const TinySpec& spec,
                 std::uint64_t seed) {
  std::vector<TensorHeader> headers;
  for (const Tensor& tensor : tensors) headers.push_back(tensor.header);
  SafetensorsStream stream(path, headers);
  for (const Tensor& tensor : tensors) append_tensor<Normal>(stream, tensor, spec, seed);
  stream.close();
}

// A checkpoint written over another one must not keep its shards or its index.
void remove_weights(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().filename().string().find(".safetensors") != std::string::npos)
      fs::remove(entry.path());
}

template <class Normal>
void write_weights(const TinySpec& spec, const fs::path& directory, const TinyOptions& options) {
  const std::vector<Tensor> tensors = tensors_of(spec, options.dtype);
  // Checkpoints of one shape must differ too: a search may hold two of them.
  const std::uint64_t seed = options.seed ^ fnv1a64(spec.name);
  if (options.shards == 1)
    return write_shard<Normal>(directory / "model.safetensors", tensors, spec, seed);
  if (options.shards < 1 || options.shards > static_cast<int>(tensors.size()))
    throw Error(fmt::format("{} shards for {} tensors. Choose from 1 to {}.", options.shards,
                            tensors.size(), tensors.size()));
  OrderedJson index;
  std::uint64_t total = 0;
  for (int shard = 0; shard < options.shards; ++shard) {
    const auto first = tensors.begin() + tensors.size() * shard / options.shards;
    const auto last = tensors.begin() + tensors.size() * (shard + 1) / options.shards;
    const std::string file =
        fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1, options.shards);
    write_shard<Normal>(directory / file, {first, last}, spec, seed);
    for (auto tensor = first; tensor != last; ++tensor) {
      index["weight_map"][tensor->header.name] = file;
      total += tensor->header.byte_count();
    }
  }
  index["metadata"]["total_size"] = total;
  write_file(directory / "model.safetensors.index.json", index.dump(2) + "\n");
}

// ---------------------------------------------------------------------------------------------------
// Configurations (spec: models 1)

std::string torch_dtype(const std::string& dtype) {
  return dtype == "F32" ? "float32" : dtype == "BF16" ? "bfloat16" : "float16";
}

OrderedJson llada_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  // With fewer kv heads the two counts differ, so that a reader must know which one the matrices
  // have.
  const int tokens = spec.kv_heads == spec.heads ? spec.vocab : ids.size;
  return {
      {"activation_type", "silu"},
      {"alibi", false},
      {"alibi_bias_max", 8.0},
      {"architectures", OrderedJson::array({"LLaDAModelLM"})},
      {"attention_dropout", 0.0},
      {"attention_layer_norm", false},
      {"attention_layer_norm_with_affine", true},
      {"auto_map",
       {{"AutoConfig", "configuration_llada.LLaDAConfig"},
        {"AutoModelForCausalLM", "modeling_llada.LLaDAModelLM"},
        {"AutoModel", "modeling_llada.LLaDAModelLM"}}},
      {"bias_for_layer_norm", false},
      {"block_group_size", 1},
      {"block_type", "llama"},
      {"d_model", spec.hidden},
      {"embedding_dropout", 0.0},
      {"embedding_size", spec.vocab},
      {"eos_token_id", ids.eos},
      {"flash_attention", false},
      {"include_bias", false},
      {"include_qkv_bias", false},
      {"init_cutoff_factor", nullptr},
      {"init_device", "meta"},
      {"init_fn", "mitchell"},
      {"init_std", 0.02},
      {"input_emb_norm", false},
      {"layer_norm_type", "rms"},
      {"layer_norm_with_affine", true},
      {"mask_token_id", ids.mask},
      {"max_sequence_length", 4096},
      {"mlp_hidden_size", spec.mlp},
      {"mlp_ratio", 4},
      {"model_type", "llada"},
      {"multi_query_attention", nullptr},
      {"n_heads", spec.heads},
      {"n_kv_heads", spec.kv_heads},
      {"n_layers", spec.layers},
      {"pad_token_id", ids.pad},
      {"precision", "amp_bf16"},
      {"residual_dropout", 0.0},
      {"rms_norm_eps", spec.eps},
      {"rope", true},
      {"rope_full_precision", true},
      {"rope_theta", spec.theta},
      {"scale_logits", false},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.46.3"},
      {"use_cache", false},
      {"vocab_size", tokens},
      {"weight_tying", false},
  };
}

OrderedJson dream_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {
      {"architectures", OrderedJson::array({"DreamModel"})},
      {"attention_dropout", 0.0},
      {"auto_map",
       {{"AutoConfig", "configuration_dream.DreamConfig"},
        {"AutoModel", "modeling_dream.DreamModel"}}},
      {"bos_token_id", ids.bos},
      {"eos_token_id", ids.eos},
      {"hidden_act", "silu"},
      {"hidden_size", spec.hidden},
      {"initializer_range", 0.02},
      {"intermediate_size", spec.mlp},
      {"mask_token_id", ids.mask},
      {"max_position_embeddings", 131072},
      {"max_window_layers", spec.layers},
      {"model_type", "Dream"},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads},
      {"pad_token_id", ids.pad},
      {"rms_norm_eps", spec.eps},
      {"rope_scaling", nullptr},
      {"rope_theta", spec.theta},
      {"sliding_window", nullptr},
      {"tie_word_embeddings", false},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.46.2"},
      {"use_cache", false},
      {"use_sliding_window", false},
      {"vocab_size", spec.vocab},
  };
}

OrderedJson sdc_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {
      {"architectures", OrderedJson::array({"StableDiffcoderForCausalLM"})},
      {"attention_bias", false},
      {"attention_dropout", 0.1},
      {"auto_map",
       {{"AutoModelForCausalLM", "modeling_stable_diffcoder.StableDiffcoderForCausalLM"}}},
      {"bos_token_id", ids.bos},
      {"eos_token_id", ids.eos},
      {"head_dim", spec.hidden / spec.heads},
      {"hidden_act", "silu"},
      {"hidden_size", spec.hidden},
      {"initializer_range", 0.02},
      {"intermediate_size", spec.mlp},
      {"layer_norm_eps", nullptr},
      {"max_position_embeddings", 8192},
      {"mlp_bias", false},
      {"model_type", "llama"},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads},
      {"pad_token_id", ids.pad},
      {"pretraining_tp", 1},
      {"resid_pdrop", 0.1},
      {"rms_norm_eps", spec.eps},
      {"rope_scaling", nullptr},
      {"rope_theta", spec.theta},
      {"tie_word_embeddings", false},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.46.2"},
      {"use_cache", true},
      {"vocab_size", spec.vocab},
  };
}

OrderedJson prm_config(const TinySpec& spec, const TinyOptions& options) {
  const TinyTokens ids = tiny_tokens(spec.family);
  return {
      {"architectures", OrderedJson::array({"Qwen2ForProcessRewardModel"})},
      {"attention_dropout", 0.0},
      {"auto_map",
       {{"AutoConfig", "configuration_qwen2_rm.Qwen2RMConfig"},
        {"AutoModel", "modeling_qwen2_rm.Qwen2ForProcessRewardModel"}}},
      {"bos_token_id", ids.bos},
      {"eos_token_id", ids.eos},
      {"hidden_act", "silu"},
      {"hidden_size", spec.hidden},
      {"initializer_range", 0.02},
      {"intermediate_size", spec.mlp},
      {"max_position_embeddings", 4096},
      {"max_window_layers", spec.layers},
      {"model_type", "qwen2"},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads},
      {"pad_token_id", ids.pad},
      {"rms_norm_eps", spec.eps},
      {"rope_theta", spec.theta},
      {"sliding_window", 4096},
      {"tie_word_embeddings", false},
      {"torch_dtype", torch_dtype(options.dtype)},
      {"transformers_version", "4.37.0"},
      {"use_cache", false},
      {"use_sliding_window", false},
      {"vocab_size", spec.vocab},
  };
}

OrderedJson config(const TinySpec& spec, const TinyOptions& options) {
  switch (spec.family) {
    case TinyFamily::kLlada:
      return llada_config(spec, options);
    case TinyFamily::kDream:
    case TinyFamily::kDiffuCoder:
      return dream_config(spec, options);
    case TinyFamily::kStableDiffCoder:
      return sdc_config(spec, options);
    case TinyFamily::kPrm:
      break;
  }
  return prm_config(spec, options);
}

OrderedJson generation_config(const TinySpec& spec) {
  const TinyTokens ids = tiny_tokens(spec.family);
  OrderedJson json = {
      {"_from_model_config", true}, {"bos_token_id", ids.bos}, {"eos_token_id", ids.eos}};
  if (spec.family == TinyFamily::kDream || spec.family == TinyFamily::kDiffuCoder)
    json.update({{"alg", "origin"},
                 {"alg_temp", nullptr},
                 {"eps", 0.001},
                 {"mask_token_id", nullptr},
                 {"output_history", false},
                 {"steps", 512},
                 {"temperature", 0.0},
                 {"top_k", nullptr},
                 {"top_p", nullptr}});
  if (spec.family != TinyFamily::kLlada) json["pad_token_id"] = ids.pad;
  json["transformers_version"] = "4.46.2";
  return json;
}

void check_spec(const TinySpec& spec, const TinyOptions& options) {
  if (options.dtype != "F32" && options.dtype != "BF16" && options.dtype != "F16")
    throw Error(fmt::format("unknown dtype '{}'. Use F32, BF16 or F16.", options.dtype));
  if (std::min({spec.layers, spec.hidden, spec.heads, spec.kv_heads, spec.mlp}) < 1)
    throw Error("layers, hidden, heads, kv heads and mlp must all be at least 1.");
  if (spec.hidden % spec.heads != 0 || spec.hidden / spec.heads % 2 != 0 ||
      spec.heads % spec.kv_heads != 0)
    throw Error(
        fmt::format("hidden {} in {} heads with {} kv heads: hidden / heads must be an even "
                    "number and heads a multiple of kv heads.",
                    spec.hidden, spec.heads, spec.kv_heads));
  if (spec.vocab < tiny_tokens(spec.family).size)
    throw Error(fmt::format("a vocabulary of {} is too small: the tokenizer has {} tokens.",
                            spec.vocab, tiny_tokens(spec.family).size));
}

template <class Normal>
void write_model(const TinySpec& spec, const fs::path& directory, const TinyOptions& options) {
  check_spec(spec, options);
  fs::create_directories(directory);
  write_file(directory / "config.json", config(spec, options).dump(2) + "\n");
  write_file(directory / "generation_config.json", generation_config(spec).dump(2) + "\n");
  write_tiny_tokenizer(spec.family, directory);
  remove_weights(directory);
  write_weights<Normal>(spec, directory, options);
}

}  // namespace

TinyFamily tiny_family(std::string_view name) {
  if (name == "llada") return TinyFamily::kLlada;
  if (name == "dream") return TinyFamily::kDream;
  if (name == "diffucoder") return TinyFamily::kDiffuCoder;
  if (name == "sdc") return TinyFamily::kStableDiffCoder;
  if (name == "prm") return TinyFamily::kPrm;
  throw Error(fmt::format("unknown family '{}'. Use llada, dream, diffucoder, sdc or prm.", name));
}

std::vector<std::string> tiny_names() {
  std::vector<std::string> names;
  for (const TinySpec& spec : specs()) names.push_back(spec.name);
  return names;
}

const TinySpec& tiny_spec(std::string_view name) {
  for (const TinySpec& spec : specs())
    if (spec.name == name) return spec;
  throw Error(
      fmt::format("unknown tiny model '{}'. Known: {}.", name, fmt::join(tiny_names(), ", ")));
}

TinySpec custom_spec(TinyFamily family) {
  TinySpec spec;
  for (const TinySpec& known : specs())
    if (known.family == family) spec = known;
  spec.name = "custom";
  spec.weight_std = 0.02;
  spec.special_loudness = 1;
  return spec;
}

void write_tiny_model(std::string_view name, const fs::path& directory,
                      const TinyOptions& options) {
  write_model<PhiloxNormal>(tiny_spec(name), directory, options);
}

void write_random_model(const TinySpec& spec, const fs::path& directory,
                        const TinyOptions& options) {
  write_model<QuickNormal>(spec, directory, options);
}

std::uint64_t fnv1a64(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return hash;
}

}  // namespace umf
