// One plain text, without search, by one model or by several that write together.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "decode/decoder.h"
#include "model/model_cache.h"
#include "setup/common_options.h"

namespace umf {

// How to write: models, action and schedule.
struct WritingOptions {
  std::vector<std::string> models;  // NAME=WHERE or WHERE; none: the first that is embedded
  std::string action, schedule = "steady";
  bool stop_at_end = false, no_stop_at_end = false;
  DecodeOptions decode;
  int length = 0;                                            // 0: what the models recommend
  std::map<std::string, std::optional<std::string>> fields;  // of the action, where given
  std::map<std::string, bool> switches;

  void declare(OptionSet& options);
};

// What to answer: a conversation; without one, text as it is, special tokens parsed; or tokens.
struct WritingPrompt {
  std::vector<Message> messages;
  std::string text;
  std::optional<Json> tokens;
  std::string where;                         // of the tokens, for errors
  std::optional<std::string> chat_template;  // instead of the models' own
};

class Writing {
 public:
  // Opens the models that are not in the model cache yet, which must outlive this. Throws Error
  // when options, prompt and models do not fit together.
  Writing(const WritingOptions& options, const WritingPrompt& prompt, ModelCache& model_cache,
          const CommonOptions& common);

  const std::string& name() const { return name_; }  // of the models: "dream+llada"
  int length() const { return options_.decode.length; }
  const Lexicon& lexicon_of(const Decoding& decoding) const {
    return setup_->lexicons()[decoding.lexicon];
  }

  Decoding write(const PassObserver& observer);
  // Bytes that are not UTF-8 are replaced.
  std::string answer(const Decoding& decoding) const;
  // Everything that `umf generate --json` tells; `load` are the seconds until write(), which loads
  // what was not loaded yet.
  Json json(const Decoding& decoding, double load) const;

 private:
  std::vector<const ModelInfo*> infos() const;
  std::vector<Token> tokens_of(const WritingPrompt& prompt, int number) const;
  void make_setup(const WritingPrompt& prompt);
  Json shares(const Decoding& decoding) const;

  WritingOptions options_;
  ModelCache& model_cache_;
  std::vector<int> models_;  // numbers in the model cache
  std::vector<std::string> names_;
  std::string name_;
  Action action_;
  std::optional<WalkSetup> setup_;
  double seconds_ = 0, loaded_ = 0;  // of write(), and in it
};

// One line of a trace: what a pass committed.
std::string trace_line(int pass, std::span<const Commit> commits, const Tokenizer& tokenizer);

}  // namespace umf
