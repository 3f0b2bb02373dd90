#include "model/checkpoint.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "model/expert_stacks.h"
#include "model/special_tokens.h"

namespace umf {
namespace {

// "config.json: keys 'a', 'b' are not known for this family" and what follows from that.
std::string unknown_message(const std::string& where, const std::vector<std::string>& keys,
                            const std::string& consequence) {
  const bool one = keys.size() == 1;
  return fmt::format(
      "{}: key{} '{}' {} not known for this family{}; {} might change what the model "
      "computes",
      where, one ? "" : "s", fmt::join(keys, "', '"), one ? "is" : "are", consequence,
      one ? "it" : "they");
}

// Whether a file may hold the tensor though nothing is computed from it. Rotary tables are stored
// by some exporters; they follow from the configuration.
bool is_unused(const std::string& name, const Checkpoint& checkpoint) {
  const auto& unused = checkpoint.family->unused_tensors;
  for (const char* table : {"inv_freq", "original_inv_freq", "cos_cached", "sin_cached"}) {
    if (name.ends_with(fmt::format("rotary_emb.{}", table))) return true;
  }
  return (checkpoint.architecture.tied_head && name == checkpoint.names.head) ||
         std::ranges::find(unused, name) != unused.end();
}

// A bias of nothing, for routers that have none: published code has room for it.
bool is_idle_bias(const std::string& name, const StoredTensor& tensor,
                  const Checkpoint& checkpoint) {
  const auto& mixture = checkpoint.architecture.mixture;
  const std::string& bias = checkpoint.names.experts.bias;
  return mixture && !mixture->biased && !bias.empty() && name.ends_with("." + bias) &&
         std::ranges::all_of(tensor.bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// " experts ...": all that predictions depend on.
std::string text_of(const MixtureShape& m) {
  const auto& [experts, chosen, sigmoid, normalised, scale, groups, kept] = m.routing;
  std::string layers;
  for (const bool has : m.layers) layers += has ? '1' : '0';
  return fmt::format(" experts {} {} {} {} {} {} {} {} {} {} {}", experts, chosen, sigmoid,
                     normalised, scale, groups, kept, m.biased, m.width, m.shared_width, layers);
}

std::string text_of(const std::optional<RotationStretch>& stretch,
                    const std::optional<RotationGrowth>& growth) {
  std::string text;
  if (stretch)
    text += fmt::format(" stretched {} {} {} {} {}", stretch->factor, stretch->length,
                        stretch->fast, stretch->slow, stretch->whole_pairs);
  if (growth) text += fmt::format(" growing {} {}", growth->share, growth->length);
  return text;
}

// A head that is tied may stand in the file, too; it is then the embedding once more.
void compare_tied_head(Checkpoint& checkpoint) {
  const Architecture& a = checkpoint.architecture;
  const TensorNames& names = checkpoint.names;
  const auto& tensors = checkpoint.weights.tensors();
  const auto head = tensors.find(names.head), embedding = tensors.find(names.embedding);
  if (!a.tied_head || head == tensors.end() || embedding == tensors.end()) return;
  checkpoint.weights.matrix(names.head, a.vocabulary, a.hidden);  // of this shape, or an Error
  const StoredTensor &one = head->second, &other = embedding->second;
  if (one.type == other.type && one.bytes.size() == other.bytes.size() &&
      std::memcmp(one.bytes.data(), other.bytes.data(), one.bytes.size()) == 0)
    return;
  checkpoint.warnings.push_back(fmt::format(
      "{}: the head is tied to the embedding, but '{}' differs from it and is ignored; if it is "
      "the head, config.json must say that they are not tied",
      checkpoint.location.place(), names.head));
}

}  // namespace

ModelConfig read_config(const Config& config, const std::string& named) {
  const Family& family = find_family(config, named);
  Architecture architecture = family.read(config);
  check(architecture, config, family.heads_key);
  return {&family,
          {config.first_architecture(), config.needed_text("model_type")},
          architecture,
          config.unknown_keys()};
}

ModelConfig read_config(const std::string& text, const std::string& where,
                        const std::string& named) {
  return read_config(Config(parse_json(text, where), where), named);
}

Checkpoint open_checkpoint(const Location& location, UnknownKeys unknown) {
  const auto source = open_source(location);
  const Config& config = source->config();
  ModelConfig read = read_config(config, location.family);
  for (std::string& key : source->unknown_keys()) read.unknown_keys.push_back(std::move(key));
  if (unknown == UnknownKeys::kRefuse && !read.unknown_keys.empty())
    throw Error(unknown_message(config.where(), read.unknown_keys, ""));
  Tokenizer tokenizer(source->tokenizer());
  if (tokenizer.size() > read.architecture.vocabulary) {
    config.fail("vocab_size", fmt::format("gives {} rows, but the tokenizer has ids up to {}",
                                          read.architecture.vocabulary, tokenizer.size() - 1));
  }
  Checkpoint checkpoint{.location = location,
                        .family = read.family,
                        .model_class = read.model_class,
                        .architecture = read.architecture,
                        .names = source->names(*read.family),
                        .tokenizer = std::move(tokenizer),
                        .tokens = {},
                        .weights = source->weights(read.architecture),
                        .own_template = source->chat_template(),
                        .advice = source->advice(),
                        .ignored_keys = std::move(read.unknown_keys)};
  split_stacks(checkpoint.names, checkpoint.architecture, checkpoint.weights);
  if (checkpoint.own_template) checkpoint.own_template->insert(0, read.family->template_settings);
  if (!checkpoint.ignored_keys.empty())
    checkpoint.warnings.push_back(
        unknown_message(config.where(), checkpoint.ignored_keys, " and ignored"));
  checkpoint.shifted = source->shifted(*read.family, checkpoint.warnings);
  for (const auto& [name, tensor] : checkpoint.weights.tensors()) {
    if (is_unused(name, checkpoint) || is_idle_bias(name, tensor, checkpoint))
      checkpoint.ignored_tensors.push_back(name);
  }
  compare_tied_head(checkpoint);
  if (read.family->diffusion) {
    if (!checkpoint.weights.contains(checkpoint.head_name()))
      config.fail(
          read.family->tie_key,
          fmt::format("is {}, but tensor '{}' is missing",
                      read.architecture.tied_head ? "true" : "not true", checkpoint.head_name()));
    checkpoint.tokens =
        resolve_tokens({config, source->generation(), checkpoint.tokenizer}, *read.family,
                       read.architecture.vocabulary, checkpoint.warnings);
  }
  return checkpoint;
}

std::vector<std::string> Checkpoint::beside(std::span<const std::string> used) const {
  std::vector<std::string> names(used.begin(), used.end());
  names.insert(names.end(), ignored_tensors.begin(), ignored_tensors.end());
  return names;
}

std::string Checkpoint::run_fingerprint() const {
  return fmt::format("{:016x}{}{}", weights.fingerprint(), location.family.empty() ? "" : "@",
                     location.family);
}

std::string Checkpoint::fingerprint() const {
  const auto& [layers, hidden, mlp, vocabulary, max_length, attention, theta, rotated, stretch,
               growth, eps, bias, qk_norm, tied, mixture, causal_context] = architecture;
  const std::string_view rows = shifted == family->shifted ? ""
                                : shifted                  ? " shifted"
                                                           : " in place";
  return fmt::format(
      "{:016x} {} {} {} {} {} {} {} {} {} {} {} {} {} {}{}{}{}{}{}{}{}", weights.fingerprint(),
      family->name, layers, hidden, mlp, vocabulary, max_length, attention.heads,
      attention.kv_heads, attention.head_dim, static_cast<int>(attention.kind), attention.block,
      theta, eps, bias, qk_norm ? " qk-norm" : "", tied ? " tied" : "", rows,
      rotated > 0 ? fmt::format(" rotated {}", rotated) : "", text_of(stretch, growth),
      mixture ? text_of(*mixture) : "", causal_context ? " causal context" : "");
}

}  // namespace umf
