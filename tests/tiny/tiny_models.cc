#include "tiny/tiny_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "tiny/tiny_configs.h"
#include "tiny/tiny_tokenizers.h"
#include "tiny/tiny_weights.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

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
      {.name = "tiny-sdar",
       .family = kSdar,
       .hidden = 40,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 88,
       .block = 4,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-dreamreasoner",
       .family = kDreamReasoner,
       .hidden = 40,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 88,
       .block = 8,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-illada",
       .family = kIllada,
       .hidden = 48,
       .heads = 6,
       .kv_heads = 2,
       .mlp = 104,
       .tied = true,
       .eps = 1e-6},
      {.name = "tiny-a2d",
       .family = kA2d,
       .hidden = 40,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 88,
       .tied = true,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-open-dcoder",
       .family = kOpenDcoder,
       .hidden = 56,
       .heads = 7,
       .kv_heads = 1,
       .mlp = 152,
       .tied = true,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-fdv2",
       .family = kFastDllm,
       .hidden = 48,
       .heads = 6,
       .kv_heads = 2,
       .mlp = 104,
       .block = 8,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-lladamoe",
       .family = kLladaMoe,
       .hidden = 48,
       .heads = 3,
       .kv_heads = 3,
       .mlp = 96,
       .experts = 8,
       .chosen = 3,
       .expert_width = 20,
       .theta = 5e4},
      {.name = "tiny-sdarmoe",
       .family = kSdarMoe,
       .layers = 3,
       .hidden = 40,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 88,
       .block = 4,
       .experts = 8,
       .chosen = 3,
       .expert_width = 20,
       .dense_layers = 1,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-rnd1",
       .family = kRnd1,
       .hidden = 40,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 96,
       .experts = 8,
       .chosen = 3,
       .expert_width = 20,
       .theta = 1e6,
       .eps = 1e-6},
      {.name = "tiny-llada2",
       .family = kLlada2,
       .layers = 3,
       .hidden = 48,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 112,
       .block = 8,
       .experts = 16,
       .chosen = 3,
       .expert_width = 24,
       .groups = 4,
       .kept_groups = 2,
       .shared = 1,
       .dense_layers = 1,
       .rotated = 8,
       .theta = 6e5,
       .eps = 1e-6},
      {.name = "tiny-nemotron",
       .family = kNemotron,
       .hidden = 40,
       .heads = 6,
       .kv_heads = 2,
       .head_dim = 16,
       .mlp = 88,
       .block = 8,
       .trained = 64,
       .vocab = 400,
       .theta = 1e6},
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

void check_spec(const TinySpec& spec, const TinyOptions& options) {
  if (options.dtype != "F32" && options.dtype != "BF16" && options.dtype != "F16")
    throw Error(fmt::format("unknown dtype '{}'. Use F32, BF16 or F16.", options.dtype));
  if (std::min({spec.layers, spec.hidden, spec.heads, spec.kv_heads, spec.mlp}) < 1)
    throw Error("layers, hidden, heads, kv heads and mlp must all be at least 1.");
  const bool shared = spec.head_dim > 0 || spec.hidden % spec.heads == 0;
  if (!shared || spec.head_width() % 2 != 0 || spec.heads % spec.kv_heads != 0)
    throw Error(
        fmt::format("hidden {} in {} heads with {} kv heads: heads must have an even width and be "
                    "a multiple of kv heads.",
                    spec.hidden, spec.heads, spec.kv_heads));
  if (spec.vocab < tiny_tokens(spec.family).size)
    throw Error(fmt::format("a vocabulary of {} is too small: the tokenizer has {} tokens.",
                            spec.vocab, tiny_tokens(spec.family).size));
}

void write_model(const TinySpec& spec, const fs::path& directory, const TinyOptions& options,
                 TinyNumbers numbers) {
  check_spec(spec, options);
  fs::create_directories(directory);
  write_file(directory / "config.json", tiny_config(spec, options).dump(2) + "\n");
  write_file(directory / "generation_config.json", tiny_generation_config(spec).dump(2) + "\n");
  write_tiny_tokenizer(spec.family, directory);
  write_tiny_weights(spec, directory, options, numbers);
}

}  // namespace

TinyFamily tiny_family(std::string_view name) {
  using enum TinyFamily;
  static constexpr std::pair<std::string_view, TinyFamily> kNames[] = {
      {"llada", kLlada},
      {"dream", kDream},
      {"diffucoder", kDiffuCoder},
      {"sdc", kStableDiffCoder},
      {"prm", kPrm},
      {"sdar", kSdar},
      {"dreamreasoner", kDreamReasoner},
      {"illada", kIllada},
      {"a2d", kA2d},
      {"open-dcoder", kOpenDcoder},
      {"fdv2", kFastDllm},
      {"lladamoe", kLladaMoe},
      {"sdarmoe", kSdarMoe},
      {"rnd1", kRnd1},
      {"llada2", kLlada2},
      {"nemotron", kNemotron}};
  std::string known;
  for (const auto& [text, family] : kNames) {
    if (text == name) return family;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", text);
  }
  throw Error(fmt::format("unknown family '{}'. Use one of {}.", name, known));
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
  write_model(tiny_spec(name), directory, options, TinyNumbers::kNormal);
}

void write_random_model(const TinySpec& spec, const fs::path& directory,
                        const TinyOptions& options) {
  write_model(spec, directory, options, TinyNumbers::kQuick);
}

std::uint64_t fnv1a64(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return hash;
}

}  // namespace umf
