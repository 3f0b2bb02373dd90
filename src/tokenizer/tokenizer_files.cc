#include "tokenizer/tokenizer_files.h"

#include <fmt/core.h>

#include <unordered_set>

#include "base/error.h"
#include "tokenizer/tokenizer_config.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/vocab_files.h"

namespace umf {
namespace {

// Tokens that stand beside tokenizer.json and not in it: somebody added them and saved the other
// files alone. Where both know a token, tokenizer.json counts.
void add_missing(const std::vector<AddedToken>& beside, TokenizerSpec& spec) {
  std::unordered_set<std::string> known;
  for (const AddedToken& token : spec.added) known.insert(token.content);
  for (const AddedToken& token : beside) {
    if (known.insert(token.content).second) spec.added.push_back(token);
  }
}

}  // namespace

TokenizerSpec read_tokenizer(const Folder& folder) {
  const std::string name = "tokenizer.json";
  const TokenizerConfig config = read_tokenizer_config(folder);
  TokenizerSpec spec;
  if (folder.contains(name)) {
    spec = parse_tokenizer_json(folder.read(name, kTokenizerFileLimit), folder.place(name));
    add_missing(config.added, spec);
  } else if (folder.contains("vocab.json")) {
    spec = read_vocab_files(folder, config);
  } else {
    throw Error(fmt::format("'{}' has no tokenizer: neither tokenizer.json nor vocab.json is there",
                            folder.place()));
  }
  spec.named = config.named;
  return spec;
}

}  // namespace umf
