#include "tokenizer/gguf_tokenizer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "tokenizer/split_patterns.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr GgufSplit kSplits[] = {{.name = "qwen2", .pattern = kQwen2Regex, .nfc = true},
                                 {.name = "deepseek-r1-qwen", .pattern = kQwen2Regex, .nfc = true},
                                 {.name = "bailingmoe", .pattern = kLingRegex},
                                 {.name = "bailingmoe2", .pattern = kLingRegex},
                                 {.name = "llada-moe", .pattern = kLingRegex},
                                 {.name = "seed-coder", .pattern = kSeedCoderRegex},
                                 {.name = "llama-bpe", .pattern = kLlama3Regex, .take_whole = true},
                                 {.name = "llama3", .pattern = kLlama3Regex, .take_whole = true},
                                 {.name = "lfm2", .pattern = kLlama3Regex, .take_whole = true},
                                 {.name = "tekken", .pattern = kTekkenRegex, .take_whole = true}};

constexpr GgufRole kRoles[] = {{"bos_token", "tokenizer.ggml.bos_token_id"},
                               {"eos_token", "tokenizer.ggml.eos_token_id"},
                               {"unk_token", "tokenizer.ggml.unknown_token_id"},
                               {"sep_token", "tokenizer.ggml.seperator_token_id"},
                               {"pad_token", "tokenizer.ggml.padding_token_id"},
                               {"cls_token", "tokenizer.ggml.cls_token_id"},
                               {"mask_token", "tokenizer.ggml.mask_token_id"}};

constexpr const char* kModel = "tokenizer.ggml.model";
constexpr const char* kPre = "tokenizer.ggml.pre";
constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr const char* kWhole = "tokenizer.huggingface.json";

const GgufSplit& find_split(const GgufMetadata& metadata) {
  const auto name = metadata.text(kPre);
  std::vector<std::string_view> known;
  for (const GgufSplit& split : kSplits) {
    if (name == split.name) return split;
    known.push_back(split.name);
  }
  if (!name) metadata.fail(kPre, "is missing: it is not known how text is cut; convert again");
  metadata.fail(kPre, fmt::format("is '{}', which is not supported (supported: {})", excerpt(*name),
                                  fmt::join(known, ", ")));
}

// Cut at the first space after the first character: a token may be a space's own letter.
std::pair<std::string_view, std::string_view> cut_merge(const GgufMetadata& metadata,
                                                        std::string_view line, std::size_t rank) {
  const std::size_t space = line.find(' ', 1);
  if (space == std::string_view::npos || space + 1 == line.size())
    metadata.fail(kMerges,
                  fmt::format("[{}] must be two tokens with a space between them, not '{}'", rank,
                              excerpt(line)));
  return {line.substr(0, space), line.substr(space + 1)};
}

struct TypedTokens {
  std::vector<std::string_view> texts;
  std::vector<std::int64_t> types;  // one for each

  AddedToken added(std::size_t i) const {
    return {.id = static_cast<Token>(i),
            .content = std::string(texts[i]),
            .special = types[i] != static_cast<int>(GgufTokenType::kUserDefined)};
  }
};

TypedTokens read_tokens(const GgufMetadata& metadata) {
  auto texts = metadata.texts(kTokens, kTokenLimit);
  if (!texts) metadata.fail(kTokens, "is missing");
  auto types = metadata.integers(kTypes, kTokenLimit);
  if (!types) metadata.fail(kTypes, "is missing");
  if (types->size() != texts->size())
    metadata.fail(kTypes, fmt::format("has {} elements, but there are {} tokens", types->size(),
                                      texts->size()));
  return {std::move(*texts), std::move(*types)};
}

void add_tokens(const GgufMetadata& metadata, const TypedTokens& tokens, TokenizerSpec& spec) {
  // A token that merges make is an ordinary one, too, whoever added it.
  std::unordered_set<std::string> made;
  for (const auto& [left, right] : spec.merges) made.insert(std::string(left) + std::string(right));
  for (std::size_t i = 0; i < tokens.texts.size(); ++i) {
    const auto id = static_cast<Token>(i);
    switch (static_cast<GgufTokenType>(tokens.types[i])) {
      case GgufTokenType::kNormal:
        spec.vocab.emplace_back(tokens.texts[i], id);
        break;
      case GgufTokenType::kUnused:
        break;  // "[PAD7]": a row without a token
      case GgufTokenType::kUnknown:
      case GgufTokenType::kControl:
      case GgufTokenType::kUserDefined:
        spec.added.push_back(tokens.added(i));
        if (made.contains(spec.added.back().content)) spec.vocab.emplace_back(tokens.texts[i], id);
        break;
      case GgufTokenType::kByte:
      default:
        metadata.fail(kTypes, fmt::format("[{}] is {}, which is not supported (1 to 5 are)", i,
                                          tokens.types[i]));
    }
  }
}

TokenizerSpec read_arrays(const GgufMetadata& metadata) {
  TokenizerSpec spec;
  spec.source = metadata.where();
  const GgufSplit& split = find_split(metadata);
  const auto merges = metadata.texts(kMerges, kTokenLimit);
  if (!merges) metadata.fail(kMerges, "is missing");
  for (const std::string_view line : *merges)
    spec.merges.push_back(cut_merge(metadata, line, spec.merges.size()));
  add_tokens(metadata, read_tokens(metadata), spec);
  spec.splits.push_back({std::string(split.pattern), false});
  spec.nfc = split.nfc;
  spec.ignore_merges = split.take_whole;
  return spec;
}

// A tokenizer.json, and the tokens that were added beside it.
TokenizerSpec read_whole(const GgufMetadata& metadata, std::string_view json) {
  if (json.size() > kTokenizerFileLimit)
    metadata.fail(kWhole, fmt::format("is larger than {} bytes", kTokenizerFileLimit));
  TokenizerSpec spec = parse_tokenizer_json(json, fmt::format("{} ({})", metadata.where(), kWhole));
  if (!metadata.has(kTokens)) return spec;
  std::unordered_set<Token> known;
  for (const AddedToken& token : spec.added) known.insert(token.id);
  for (const auto& [text, id] : spec.vocab) known.insert(id);
  const TypedTokens tokens = read_tokens(metadata);
  for (std::size_t i = 0; i < tokens.texts.size(); ++i) {
    const bool added = tokens.types[i] == static_cast<int>(GgufTokenType::kControl) ||
                       tokens.types[i] == static_cast<int>(GgufTokenType::kUserDefined);
    if (added && !known.contains(static_cast<Token>(i))) spec.added.push_back(tokens.added(i));
  }
  return spec;
}

std::optional<std::string> text_of(const TokenizerSpec& spec, Token id) {
  const auto added = std::ranges::find(spec.added, id, &AddedToken::id);
  if (added != spec.added.end()) return added->content;
  for (const auto& [text, other] : spec.vocab) {
    if (other == id) return std::string(text);
  }
  return std::nullopt;
}

}  // namespace

std::span<const GgufSplit> gguf_splits() { return kSplits; }

std::span<const GgufRole> gguf_roles() { return kRoles; }

TokenizerSpec read_gguf_tokenizer(const GgufMetadata& metadata) {
  const auto model = metadata.text(kModel);
  if (!model) metadata.fail(kModel, "is missing: there is no tokenizer in the file");
  if (model != "gpt2")
    metadata.fail(kModel,
                  fmt::format("is '{}', which is not supported (only 'gpt2', byte-level BPE)",
                              excerpt(*model)));
  const auto whole = metadata.text(kWhole);
  TokenizerSpec spec = whole ? read_whole(metadata, *whole) : read_arrays(metadata);
  for (const auto& [role, key] : kRoles) {
    const auto id = metadata.integer(key, INT64_MIN, INT64_MAX);  // -1: there is none
    const bool usable = id && *id >= 0 && *id < kTokenLimit;
    const auto text = usable ? text_of(spec, static_cast<Token>(*id)) : std::nullopt;
    if (text) spec.named.emplace(role, *text);
  }
  spec.begins_prompts = metadata.flag("tokenizer.ggml.add_bos_token").value_or(false);
  if (spec.begins_prompts && !spec.named.contains("bos_token"))
    metadata.fail("tokenizer.ggml.add_bos_token", "is true, but the file names no bos token");
  return spec;
}

}  // namespace umf
