// umf tokenize: text to ids and back, as JSON Lines.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "cli/common.h"
#include "setup/messages.h"
#include "setup/token_list.h"
#include "tokenizer/chat.h"

namespace umf {
namespace {

struct TokenizeOptions {
  std::string model;
  std::optional<std::string> chat_template;
  bool decode = false, chat = false, no_special = false;
};

std::string template_of(const CheckpointSource& source, const Location& location,
                        const TokenizeOptions& options) {
  if (options.chat_template) return read_input(*options.chat_template);
  const Family& family = *read_config(source.config(), location.family).family;
  if (auto own = source.chat_template()) return family.template_settings + *own;
  return umf::template_of(family, location.place());
}

int tokenize(const TokenizeOptions& options) {
  if (options.model.empty()) throw Error("umf tokenize needs --model WHERE");
  if (options.decode && options.chat) throw Error("--decode and --chat exclude each other");
  const Location location = find_checkpoint(parse_model_choice(options.model).where);
  const auto source = open_source(location);
  const Tokenizer tokenizer(source->tokenizer());
  const std::string chat_template = options.chat ? template_of(*source, location, options) : "";
  const SpecialText special = options.no_special ? SpecialText::kPlain : SpecialText::kParse;
  std::istringstream lines(read_stdin());
  std::string text;
  for (int number = 1; std::getline(lines, text); ++number) {
    if (text.empty()) continue;
    const std::string where = fmt::format("stdin line {}", number);
    const Json line = parse_json(text, where);
    if (options.decode) {
      const std::vector<Token> ids = parse_token_list(line, tokenizer.size(), where);
      print_json(to_valid_utf8(tokenizer.decode(ids, options.no_special)));
    } else if (options.chat) {
      print_json(encode_chat(tokenizer, chat_template, parse_messages(line, where), true));
    } else if (line.is_string()) {
      print_json(tokenizer.encode(line.get_ref<const std::string&>(), special));
    } else {
      throw Error(where + ": expected a JSON string");
    }
  }
  return 0;
}

}  // namespace

Command tokenize_command() {
  return {
      "tokenize", "text to ids and back, one JSON value per line on stdin", [](OptionSet& options) {
        auto o = std::make_shared<TokenizeOptions>();
        options.value("model", o->model,
                      "a model directory, a *.gguf file, or org/name in the local hub cache");
        options.choices("model", known_models);
        options.flag("decode", o->decode, "arrays of ids to strings");
        options.flag("chat", o->chat, "arrays of {\"role\",\"content\"} to the ids of the prompt");
        options.value("chat-template", o->chat_template,
                      "a Jinja file instead of the model's template");
        options.flag("no-special", o->no_special,
                     "special tokens' text is text; with --decode they are left out");
        options.footer("Example: echo '\"Hello world\"' | umf tokenize --model DIR");
        return [o] { return tokenize(*o); };
      }};
}

}  // namespace umf
