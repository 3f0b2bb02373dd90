#include "tokenizer/tokenizer_json.h"

#include <fmt/core.h>

#include "tokenizer/large_json.h"
#include "tokenizer/split_patterns.h"

namespace umf {
namespace {

using simdjson::dom::element;

std::string type_of(element value, const std::string& where) {
  std::string_view type;
  if (value["type"].get(type) != simdjson::SUCCESS) fail_at(where, "'type' is missing");
  return std::string(type);
}

[[noreturn]] void refuse_type(const std::string& where, const std::string& type,
                              std::string_view supported) {
  fail_at(where,
          fmt::format("type '{}' is not supported (supported: {})", excerpt(type), supported));
}

std::vector<AddedToken> parse_added_tokens(const LargeFields& file) {
  std::vector<AddedToken> tokens;
  if (!file.find("added_tokens")) return tokens;
  for (const element entry : file.array("added_tokens")) {
    const LargeFields fields(
        entry, fmt::format("{}[{}]", file.place("added_tokens"), tokens.size()),
        {"id", "content", "special", "normalized", "lstrip", "rstrip", "single_word"});
    AddedToken token;
    token.id = static_cast<Token>(fields.integer("id", kTokenLimit));
    token.content = fields.string("content");
    token.special = fields.flag("special", false);
    token.normalized = fields.flag("normalized", !token.special);
    token.lstrip = fields.flag("lstrip", false);
    token.rstrip = fields.flag("rstrip", false);
    token.single_word = fields.flag("single_word", false);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void parse_normalizer(element value, const std::string& where, TokenizerSpec& spec) {
  const std::string type = type_of(value, where);
  if (type == "NFC") {
    const LargeFields fields(value, where, {"type"});
    spec.nfc = true;
  } else if (type == "Sequence") {
    const LargeFields fields(value, where, {"type", "normalizers"});
    int index = 0;
    for (const element step : fields.array("normalizers")) {
      parse_normalizer(step, fmt::format("{}.normalizers[{}]", where, index++), spec);
    }
  } else {
    refuse_type(where, type, "null, NFC, Sequence");
  }
}

SplitRule parse_split(element value, const std::string& where) {
  const LargeFields fields(value, where, {"type", "pattern", "behavior", "invert"});
  const LargeFields pattern(fields.get("pattern"), fields.place("pattern"), {"Regex"});
  const std::string_view behavior = fields.string("behavior");
  const bool invert = fields.flag("invert", false);
  if (!(behavior == "Isolated" && !invert) && !(behavior == "Removed" && invert)) {
    fail_at(where, fmt::format("behavior '{}' with invert {} is not supported (supported: Isolated "
                               "with false, Removed with true)",
                               excerpt(behavior), invert));
  }
  return {std::string(pattern.string("Regex")), behavior == "Removed"};
}

// True when the step was ByteLevel: text that comes after it would be in the byte alphabet.
bool parse_pre_tokenizer(element value, const std::string& where, TokenizerSpec& spec) {
  const std::string type = type_of(value, where);
  if (type == "Split") {
    spec.splits.push_back(parse_split(value, where));
    return false;
  }
  if (type == "ByteLevel") {
    const LargeFields fields(value, where,
                             {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (fields.flag("add_prefix_space", true)) {
      fail_at(fields.place("add_prefix_space"), "true (the default) is not supported");
    }
    if (fields.flag("use_regex", true)) spec.splits.push_back({std::string(kGpt2Regex), false});
    return true;
  }
  if (type != "Sequence") refuse_type(where, type, "Sequence, Split, ByteLevel");
  const LargeFields fields(value, where, {"type", "pretokenizers"});
  bool byte_level = false;
  int index = 0;
  for (const element step : fields.array("pretokenizers")) {
    const std::string place = fmt::format("{}.pretokenizers[{}]", where, index++);
    if (byte_level) fail_at(place, "a step after ByteLevel is not supported");
    byte_level = parse_pre_tokenizer(step, place, spec);
  }
  return byte_level;
}

std::pair<std::string_view, std::string_view> parse_merge(element value, const std::string& place,
                                                          std::size_t rank) {
  std::string_view line, left, right;
  simdjson::dom::array pair;
  if (value.get(line) == simdjson::SUCCESS) {
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos && line.find(' ', space + 1) == std::string_view::npos) {
      return {line.substr(0, space), line.substr(space + 1)};
    }
  } else if (value.get(pair) == simdjson::SUCCESS && pair.size() == 2 &&
             pair.at(0).get(left) == simdjson::SUCCESS &&
             pair.at(1).get(right) == simdjson::SUCCESS) {
    return {left, right};
  }
  fail_at(
      fmt::format("{}[{}]", place, rank),
      fmt::format("expected \"left right\" or [\"left\", \"right\"], found {}", excerpt(value)));
}

void refuse_affix(const LargeFields& model, std::string_view key) {
  if (model.find(key) && !model.string(key).empty()) {
    fail_at(model.place(key), fmt::format("'{}' is not supported, it must be null or empty",
                                          excerpt(model.string(key))));
  }
}

void parse_model(element value, const std::string& where, TokenizerSpec& spec) {
  const LargeFields model(
      value, where,
      {"type", "vocab", "merges", "ignore_merges", "byte_fallback", "dropout", "unk_token",
       "fuse_unk", "continuing_subword_prefix", "end_of_word_suffix"});
  // Old files leave the type out. unk_token and fuse_unk have no say: no byte is ever unknown.
  if (model.find("type") && model.string("type") != "BPE") {
    refuse_type(where, std::string(model.string("type")), "BPE");
  }
  refuse_affix(model, "continuing_subword_prefix");
  refuse_affix(model, "end_of_word_suffix");
  if (model.flag("byte_fallback", false))
    fail_at(model.place("byte_fallback"), "true is not supported");
  if (const auto dropout = model.find("dropout")) {
    double share = 0;
    if (dropout->get(share) != simdjson::SUCCESS || share != 0) {
      fail_at(model.place("dropout"), fmt::format("{} is not supported", excerpt(*dropout)));
    }
  }
  spec.ignore_merges = model.flag("ignore_merges", false);
  spec.vocab = parse_vocab(model.get("vocab"), model.place("vocab"));
  const std::string place = model.place("merges");
  const auto merges = model.array("merges");
  spec.merges.reserve(std::min<std::size_t>(merges.size(), kTokenLimit));
  for (const element merge : merges) {
    spec.merges.push_back(parse_merge(merge, place, spec.merges.size()));
  }
}

// Checked so that a file which relies on something else is refused, but never applied: a rendered
// prompt holds its begin and end tokens already.
void check_post_processor(element value, const std::string& where) {
  const std::string type = type_of(value, where);
  if (type == "ByteLevel") {
    const LargeFields fields(value, where,
                             {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  } else if (type == "TemplateProcessing") {
    const LargeFields fields(value, where, {"type", "single", "pair", "special_tokens"});
  } else if (type == "Sequence") {
    const LargeFields fields(value, where, {"type", "processors"});
    int index = 0;
    for (const element step : fields.array("processors")) {
      check_post_processor(step, fmt::format("{}.processors[{}]", where, index++));
    }
  } else {
    refuse_type(where, type, "null, ByteLevel, TemplateProcessing, Sequence");
  }
}

void check_decoder(const LargeFields& file) {
  const auto decoder = file.find("decoder");
  if (!decoder) fail_at(file.place("decoder"), "null is not supported (supported: ByteLevel)");
  const std::string type = type_of(*decoder, file.place("decoder"));
  if (type != "ByteLevel") refuse_type(file.place("decoder"), type, "ByteLevel");
}

}  // namespace

std::vector<std::pair<std::string_view, Token>> parse_vocab(element value,
                                                            const std::string& where) {
  simdjson::dom::object entries;
  if (value.get(entries) != simdjson::SUCCESS) {
    fail_at(where, fmt::format("expected an object of tokens and ids, found {}", excerpt(value)));
  }
  std::vector<std::pair<std::string_view, Token>> vocab;
  vocab.reserve(std::min<std::size_t>(entries.size(), kTokenLimit));
  for (const auto entry : entries) {
    std::int64_t id = 0;
    if (entry.value.get(id) != simdjson::SUCCESS || id < 0 || id >= kTokenLimit) {
      fail_at(where, fmt::format("token '{}' has the id {}; ids are whole numbers from 0 to {}",
                                 excerpt(entry.key), excerpt(entry.value), kTokenLimit - 1));
    }
    vocab.emplace_back(entry.key, static_cast<Token>(id));
  }
  return vocab;
}

TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& where) {
  const auto document = parse_large_json(text, where);
  // Truncation and padding belong to whoever calls the library; here no one asks for them.
  const LargeFields file(document->root, where,
                         {"version", "truncation", "padding", "added_tokens", "normalizer",
                          "pre_tokenizer", "post_processor", "decoder", "model"},
                         ": ");
  TokenizerSpec spec;
  spec.source = where;
  spec.storage = {document};
  spec.added = parse_added_tokens(file);
  if (const auto normalizer = file.find("normalizer")) {
    parse_normalizer(*normalizer, file.place("normalizer"), spec);
  }
  const auto pre_tokenizer = file.find("pre_tokenizer");
  if (!pre_tokenizer || !parse_pre_tokenizer(*pre_tokenizer, file.place("pre_tokenizer"), spec)) {
    fail_at(file.place("pre_tokenizer"),
            "it must end with ByteLevel: other tokenizers are not supported");
  }
  if (const auto post = file.find("post_processor")) {
    check_post_processor(*post, file.place("post_processor"));
  }
  check_decoder(file);
  parse_model(file.get("model"), file.place("model"), spec);
  return spec;
}

}  // namespace umf
