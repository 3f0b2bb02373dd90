// Tiny and random checkpoints in the published Hugging Face layout, the same bits on every machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

enum class TinyFamily {
  kLlada,
  kDream,
  kDiffuCoder,
  kStableDiffCoder,
  kPrm,
  kSdar,
  kDreamReasoner,
  kIllada,
  kA2d,
  kOpenDcoder,
  kFastDllm,
  kLladaMoe,
  kSdarMoe,
  kRnd1,
  kLlada2,
  kNemotron
};

// Throws Error for a name other than llada, dream, diffucoder, sdc, prm, sdar, dreamreasoner,
// illada, a2d, open-dcoder, fdv2, lladamoe, sdarmoe, rnd1, llada2, nemotron.
TinyFamily tiny_family(std::string_view name);

// The shape of one checkpoint.
struct TinySpec {
  std::string name;
  TinyFamily family = TinyFamily::kLlada;
  int layers = 2;
  int hidden = 64;
  int heads = 4, kv_heads = 4;
  int head_dim = 0;  // 0: hidden / heads
  int mlp = 176;
  int block = 0;  // of attention, where config.json gives it
  // Of layers with experts, which are all but the first `dense_layers`.
  int experts = 0, chosen = 0, expert_width = 0;
  int groups = 1, kept_groups = 1, shared = 0, dense_layers = 0;
  int rotated = 0;    // of a head's numbers, where config.json says so
  int trained = 0;    // positions before the rotation was stretched, four times; 0: it is not
  bool tied = false;  // published with a head that is the embedding
  int vocab = 320;  // rows of the embedding; the tokenizers have fewer tokens, as published ones do
  double theta = 5e5, eps = 1e-5;
  // At 0.05 every mask of so small a model predicts the same token and a wrong engine would pass;
  // at 0.2 attention is sharp and the rows differ.
  double weight_std = 0.2;
  // The head's rows of the mask, end-of-text and end-of-turn tokens are larger by this factor, so
  // that these tokens win now and then and the rules about them are seen at work.
  double special_loudness = 1.75;

  bool has_experts(int layer) const { return experts > 0 && layer >= dense_layers; }
  int head_width() const { return head_dim > 0 ? head_dim : hidden / heads; }
};

struct TinyOptions {
  std::string dtype = "F32";  // F32, BF16 or F16
  int shards = 1;             // more than 1: model-0000i-of-0000n.safetensors and an index
  std::uint64_t seed = 2;
  bool transformers5 = false;  // config.json as transformers 5 writes it, instead of 4
  bool tied = false;           // the head is the embedding and has no tensor of its own
  bool spare_head = false;     // a tied head has a tensor, too, which is another one
  bool leftovers = false;  // keys and tensors that exporters leave behind: kTinyLeftovers, tables
};

// The keys of config.json that no family knows, with `leftovers`.
inline constexpr const char* kTinyLeftovers[] = {"exported_by", "training_notes"};

std::vector<std::string> tiny_names();
const TinySpec& tiny_spec(std::string_view name);  // Throws Error for an unknown name.

// A family's published theta and eps in an otherwise free shape, for write_random_model.
TinySpec custom_spec(TinyFamily family);

// Writes config.json, generation_config.json, the tokenizer's files and the weights; makes
// `directory`. Weights are normal(0, 0.2), norm weights 1 + normal(0, 0.1), biases normal(0, 0.1);
// routers normal(0, 0.5) and their biases normal(0, 0.3), so that bias and groups change the
// choice; every number is a function of (seed, checkpoint name, tensor name, index). BF16 and F16
// are the F32 numbers rounded to nearest even.
void write_tiny_model(std::string_view name, const std::filesystem::path& directory,
                      const TinyOptions& options = {});

// The same for any shape, with a cheaper generator: for benchmarks, seconds per gigabyte.
// Throws Error when the shape is impossible (heads, vocabulary too small for the tokenizer).
void write_random_model(const TinySpec& spec, const std::filesystem::path& directory,
                        const TinyOptions& options = {});

// FNV-1a, 64 bits: tells whether a file is the one that expectations were made from.
std::uint64_t fnv1a64(std::string_view bytes);

}  // namespace umf
