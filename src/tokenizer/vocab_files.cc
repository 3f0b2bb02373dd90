#include "tokenizer/vocab_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/files.h"
#include "tokenizer/json_fields.h"
#include "tokenizer/tokenizer_json.h"

namespace umf {
namespace {

// Of Qwen2Tokenizer and of DreamTokenizer, which was made from it.
constexpr std::string_view kQwen2Regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

void require_known_class(const std::filesystem::path& directory, const TokenizerConfig& config) {
  const std::string where = (directory / "tokenizer_config.json").string();
  const std::string& name = config.tokenizer_class;
  if (name.empty()) {
    throw Error(
        fmt::format("{}: there is no tokenizer_class, which says how vocab.json is used", where));
  }
  for (const std::string_view known : {"Qwen2Tokenizer", "DreamTokenizer"}) {
    if (name == known || name == std::string(known) + "Fast") return;
  }
  throw Error(
      fmt::format("{}: tokenizer_class '{}' is not supported without a tokenizer.json "
                  "(supported: Qwen2Tokenizer, DreamTokenizer)",
                  where, name));
}

void read_merges(const std::filesystem::path& path, TokenizerSpec& spec) {
  const auto text = std::make_shared<const std::string>(read_file(path, kTokenizerFileLimit));
  spec.storage.push_back(text);
  std::string_view rest = *text;
  for (int line_number = 1; !rest.empty(); ++line_number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      throw Error(fmt::format("{}:{}: expected two tokens with a space between them, found '{}'",
                              path.string(), line_number, excerpt(line)));
    }
    spec.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
}

// added_tokens.json gives text and id only; a token is special when the configuration names it.
void read_added_tokens(const std::filesystem::path& path, const TokenizerConfig& config,
                       TokenizerSpec& spec) {
  const auto document = parse_large_json(read_file(path, kTokenizerFileLimit), path.string());
  std::unordered_set<Token> known;
  for (const AddedToken& token : config.added) known.insert(token.id);
  for (const auto& [text, id] : parse_vocab(document->root, path.string())) {
    if (known.contains(id)) {
      const auto token = std::find_if(config.added.begin(), config.added.end(),
                                      [id = id](const AddedToken& each) { return each.id == id; });
      if (token->content == text) continue;
      throw Error(fmt::format("{}: id {} is '{}' here and '{}' in tokenizer_config.json",
                              path.string(), id, excerpt(text), excerpt(token->content)));
    }
    spec.added.push_back({.id = id, .content = std::string(text)});
  }
}

void mark_named_as_special(const TokenizerConfig& config, std::vector<AddedToken>& added) {
  std::unordered_set<std::string_view> special(config.additional.begin(), config.additional.end());
  for (const auto& [role, text] : config.named) special.insert(text);
  for (AddedToken& token : added) {
    if (special.contains(token.content)) token.special = true;
  }
}

}  // namespace

TokenizerSpec read_vocab_files(const std::filesystem::path& directory,
                               const TokenizerConfig& config) {
  require_known_class(directory, config);
  const auto vocab_path = directory / "vocab.json", merges_path = directory / "merges.txt";
  if (config.add_prefix_space) {
    throw Error(fmt::format("{}: add_prefix_space true is not supported",
                            (directory / "tokenizer_config.json").string()));
  }
  TokenizerSpec spec;
  spec.source = vocab_path.string();
  spec.merges_source = merges_path.string();
  const auto vocab =
      parse_large_json(read_file(vocab_path, kTokenizerFileLimit), vocab_path.string());
  spec.storage.push_back(vocab);
  spec.vocab = parse_vocab(vocab->root, vocab_path.string());
  read_merges(merges_path, spec);
  spec.added = config.added;
  const auto added_path = directory / "added_tokens.json";
  std::error_code ignored;
  if (std::filesystem::exists(added_path, ignored)) read_added_tokens(added_path, config, spec);
  mark_named_as_special(config, spec.added);
  spec.splits = {{std::string(kQwen2Regex), false}};
  spec.nfc = true;
  // The slow classes normalise the whole text first, so that every added token is found in the
  // result.
  spec.normalize_first = !config.tokenizer_class.ends_with("Fast");
  for (AddedToken& token : spec.added) {
    if (spec.normalize_first && token.single_word) {
      throw Error(
          fmt::format("{}: added token '{}': single_word is not supported without a "
                      "tokenizer.json",
                      (directory / "tokenizer_config.json").string(), excerpt(token.content)));
    }
    if (spec.normalize_first) token.normalized = false;
  }
  return spec;
}

}  // namespace umf
