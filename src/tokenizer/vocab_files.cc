#include "tokenizer/vocab_files.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "tokenizer/large_json.h"
#include "tokenizer/split_patterns.h"
#include "tokenizer/tokenizer_json.h"

namespace umf {
namespace {

void require_known_class(const Folder& folder, const TokenizerConfig& config) {
  const std::string where = folder.place("tokenizer_config.json");
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
                  where, excerpt(name)));
}

void read_merges(const Folder& folder, const std::string& name, TokenizerSpec& spec) {
  const auto text = std::make_shared<const std::string>(folder.read(name, kTokenizerFileLimit));
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
                              folder.place(name), line_number, excerpt(line)));
    }
    spec.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
}

}  // namespace

TokenizerSpec read_vocab_files(const Folder& folder, const TokenizerConfig& config) {
  require_known_class(folder, config);
  const std::string vocab_file = "vocab.json", merges_file = "merges.txt";
  if (config.add_prefix_space) {
    throw Error(fmt::format("{}: add_prefix_space true is not supported",
                            folder.place("tokenizer_config.json")));
  }
  TokenizerSpec spec;
  spec.source = folder.place(vocab_file);
  spec.merges_source = folder.place(merges_file);
  const auto vocab = parse_large_json(folder.read(vocab_file, kTokenizerFileLimit), spec.source);
  spec.storage.push_back(vocab);
  spec.vocab = parse_vocab(vocab->root, spec.source);
  read_merges(folder, merges_file, spec);
  spec.added = config.added;
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
                      folder.place("tokenizer_config.json"), excerpt(token.content)));
    }
    if (spec.normalize_first) token.normalized = false;
  }
  return spec;
}

}  // namespace umf
