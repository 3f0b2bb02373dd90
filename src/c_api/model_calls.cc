// umf_model(), umf_tokenize(), umf_logits() and umf_generate(): one model at a time.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "c_api/calls.h"
#include "setup/messages.h"
#include "setup/option_file.h"
#include "setup/token_list.h"
#include "setup/writing.h"

namespace umf {
namespace {

int number_of(const std::string& model, ModelCache& models, const CommonOptions& common) {
  return opened(parse_model_choice(model), models, common);
}

// Takes what is to be answered out of the request: what stays are options.
WritingPrompt take_prompt(Json& request, const std::string& where) {
  const JsonFields fields(request, where);
  WritingPrompt prompt{.where = where + ": prompt-tokens"};
  const bool raw = fields.flag("raw").value_or(false);
  const std::optional<std::string> text = fields.text("prompt"), system = fields.text("system");
  prompt.chat_template = fields.text("chat-template");
  if (fields.has("messages")) prompt.messages = parse_messages(request["messages"], where);
  if (fields.has("prompt-tokens")) prompt.tokens = request["prompt-tokens"];
  if (text.has_value() + fields.has("messages") + fields.has("prompt-tokens") != 1)
    throw Error(where + ": give one of 'prompt', 'messages' and 'prompt-tokens'");
  if ((raw || system) && !text) throw Error(where + ": 'raw' and 'system' stand beside a 'prompt'");
  if (raw && system)
    throw Error(where + ": a 'raw' prompt has no 'system' beside it: it is no chat");
  if (raw) prompt.text = *text;
  if (text && !raw) {
    if (system) prompt.messages.push_back({"system", *system});
    prompt.messages.push_back({"user", *text});
  }
  for (const char* key : {"raw", "prompt", "system", "chat-template", "messages", "prompt-tokens"})
    request.erase(key);
  return prompt;
}

OrderedJson token_json(std::optional<Token> token) {
  return token ? OrderedJson(*token) : OrderedJson(nullptr);
}

}  // namespace

OrderedJson describe_model(Engine& engine, const std::string& model) {
  const Engine::Hold models(engine);
  const int number = number_of(model, *models, engine.options().common);
  const ModelInfo& info = models->model(number).info();
  const Checkpoint& checkpoint = models->checkpoint(number);
  return {{"name", parse_model_choice(model).name},
          {"family", info.family},
          {"vocabulary", info.vocabulary},
          {"max_length", info.max_length},
          {"window", recommended_window(info)},
          {"mask", info.tokens.mask},
          {"end_of_text", info.tokens.end_of_text},
          {"end_of_turn", token_json(info.tokens.end_of_turn)},
          {"ends", info.tokens.ends},
          {"fingerprint", checkpoint.run_fingerprint()},
          {"parameters", checkpoint.weights.parameters()},
          {"backend", models->backend().name()},
          {"warnings", checkpoint.warnings}};
}

OrderedJson tokenize(Engine& engine, const Json& request) {
  const std::string where = "umf_tokenize";
  const JsonFields fields(request, where);
  fields.only({"model", "text", "messages", "tokens", "special"},
              "a request has model, special, and text, messages or tokens");
  const bool special = fields.flag("special").value_or(true);
  if (fields.has("text") + fields.has("messages") + fields.has("tokens") != 1)
    throw Error(where + ": give one of 'text', 'messages' and 'tokens'");
  const Engine::Hold models(engine);
  const int number = number_of(fields.needed_text("model"), *models, engine.options().common);
  const Checkpoint& checkpoint = models->checkpoint(number);
  const Tokenizer& tokenizer = checkpoint.tokenizer;
  if (fields.has("tokens")) {
    const auto ids = parse_token_list(request["tokens"], tokenizer.size(), where);
    return {{"text", to_valid_utf8(tokenizer.decode(ids, /*skip_special=*/!special))}};
  }
  if (fields.has("messages"))
    return {{"tokens", encode_chat(tokenizer, checkpoint.chat_template(),
                                   parse_messages(request["messages"], where), true)}};
  const SpecialText parsed = special ? SpecialText::kParse : SpecialText::kPlain;
  return {{"tokens", tokenizer.encode(fields.needed_text("text"), parsed)}};
}

void write_logits(Engine& engine, const std::string& model, std::span<const Token> tokens,
                  std::span<const int> positions, std::span<float> rows) {
  const Engine::Hold models(engine);
  const int number = number_of(model, *models, engine.options().common);
  const std::size_t vocabulary = models->model(number).info().vocabulary;
  if (tokens.empty()) throw Error("umf_logits: there are no tokens");
  for (const Token token : tokens) {
    if (token < 0 || std::cmp_greater_equal(token, vocabulary))
      throw Error(fmt::format("umf_logits: {} is not a token id below {}", token, vocabulary));
  }
  for (const int position : positions) {
    if (position < 0 || std::cmp_greater_equal(position, tokens.size()))
      throw Error(fmt::format("umf_logits: {} is not a position from 0 to {}", position,
                              tokens.size() - 1));
  }
  if (rows.size() < positions.size() * vocabulary)
    throw Error(fmt::format("umf_logits: {} rows of {} numbers need more room than {}",
                            positions.size(), vocabulary, rows.size()));
  const std::vector<float> made = models->logits(number, tokens, positions);
  std::ranges::copy(made, rows.begin());
}

CallResult generate(Engine& engine, Json request, Caller& caller) {
  const std::string where = "umf_generate";
  const auto start = std::chrono::steady_clock::now();
  const WritingPrompt prompt = take_prompt(request, where);
  WritingOptions options;
  parse_options(where, words_of(request, where), [&](OptionSet& set) { options.declare(set); });
  const Engine::Hold models(engine);
  Writing writing(options, prompt, *models, engine.options().common);
  const double load =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Decoding decoding =
      writing.write([&](const Decoding& now, std::span<const Commit> commits) {
        caller.report(now.passes, writing.length());
        if (!caller.wants_events()) return !caller.stopped();
        std::string line = trace_line(now.passes, commits, *writing.lexicon_of(now).tokenizer);
        line.pop_back();  // the newline
        return caller.tell(line);
      });
  return {.json = writing.json(decoding, load), .interrupted = decoding.interrupted};
}

}  // namespace umf
