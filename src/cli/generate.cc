// umf generate: one plain decoding, no search.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/token_list.h"
#include "decode/decoder.h"
#include "model/language_model.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

struct GenerateOptions {
  CommonOptions common;
  std::string prompt, model, action, schedule = "steady", system, trace, prompt_tokens;
  std::optional<std::string> prompt_file, chat_template;
  bool raw = false, stop_at_end = false, no_stop_at_end = false;
  DecodeOptions decode;
  int length = 0;
  std::map<std::string, std::optional<std::string>> fields;  // of the action, where given
  std::map<std::string, bool> switches;
};

std::string prompt_text(const GenerateOptions& options) {
  if (options.prompt_file) {
    if (!options.prompt.empty())
      throw Error("give the prompt as an argument or as --prompt-file, not both");
    return read_input(*options.prompt_file);
  }
  if (options.prompt == "-") return read_stdin();
  if (options.prompt.empty()) {
    throw Error("umf generate needs a prompt: an argument, --prompt-file FILE, or - for stdin");
  }
  return options.prompt;
}

std::vector<Token> prompt_ids(const GenerateOptions& options, const LanguageModel& model) {
  if (!options.prompt_tokens.empty())
    return read_token_list(options.prompt_tokens, model.info().vocabulary);
  const std::string text = prompt_text(options);
  if (options.raw) return model.tokenizer().encode(text, SpecialText::kParse);
  std::vector<Message> messages;
  if (!options.system.empty()) messages.push_back({"system", options.system});
  messages.push_back({"user", text});
  const std::string source = options.chat_template ? read_input(*options.chat_template)
                                                   : model.checkpoint().chat_template();
  return encode_chat(model.tokenizer(), source, messages, /*add_generation_prompt=*/true);
}

// The model's recommended action, changed by --action and by the options of the same names.
Action chosen_action(const GenerateOptions& options, const ModelInfo& model) {
  Action action = recommended_action(model);
  set_fields(action, options.action);
  for (const auto& [key, value] : options.fields) {
    if (value) set_field(action, key, *value);
  }
  for (const auto& [key, value] : options.switches) {
    if (value) set_field(action, key, "true");
  }
  return action;
}

// 0.1f as 0.1, not as the double next to it.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

Json action_json(Action action) {
  Json json = Json::object();
  action.visit([&](auto& field, const char* name, const char*) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>)
      json[name] = name_of(field);
    else if constexpr (std::is_same_v<std::decay_t<decltype(field)>, float>)
      json[name] = shortest(field);
    else
      json[name] = field;
  });
  return json;
}

// One line per pass: what it committed.
std::string trace_line(int pass, std::span<const Commit> commits, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const Commit& commit : commits) {
    list.push_back({{"cell", commit.cell},
                    {"token", commit.token},
                    {"text", to_valid_utf8(tokenizer.bytes(commit.token))}});
  }
  return Json({{"pass", pass}, {"commits", list}}).dump() + "\n";
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int generate(GenerateOptions& options) {
  if (options.stop_at_end && options.no_stop_at_end) {
    throw Error("--stop-at-end and --no-stop-at-end exclude each other");
  }
  if (options.stop_at_end || options.no_stop_at_end)
    options.decode.stop_at_end = options.stop_at_end;
  options.decode.schedule = parse_schedule(options.schedule);
  const Output trace_out(options.trace);
  if (trace_out.to_stdout() && options.common.json)
    throw Error("--trace - and --json would both go to stdout; give --trace a file");
  const auto start = Clock::now();
  const auto backend = options.common.make_backend();
  const ModelChoice choice = parse_model_choice(
      options.model.empty() ? default_models("umf generate").front() : options.model);
  LanguageModel model(choice.name, open_checkpoint(find_checkpoint(choice.where)), *backend);
  if (options.length < 0)
    throw Error(fmt::format("--length must not be negative, not {}", options.length));
  options.decode.length = options.length > 0 ? options.length : recommended_window(model.info());
  const Action action = chosen_action(options, model.info());
  const std::vector<Token> prompt = prompt_ids(options, model);
  const double load_seconds = seconds_since(start);

  watch_for_interrupts();
  const auto decode_start = Clock::now();
  std::string trace;
  Decoding decoding;
  {
    Progress progress(options.common.quiet);
    decoding = decode(model, prompt, action, options.decode,
                      [&](const Decoding& now, std::span<const Commit> commits) {
                        if (trace_out) trace += trace_line(now.passes, commits, model.tokenizer());
                        progress.show(now.passes, options.decode.length, model.info().name);
                        return !interrupted();
                      });
  }
  const std::string answer =
      to_valid_utf8(answer_text(model.tokenizer(), model.info().tokens, decoding.window));
  if (options.common.json) {
    const bool complete = std::find(decoding.window.begin(), decoding.window.end(),
                                    model.info().tokens.mask) == decoding.window.end();
    Json json = {{"answer", answer},
                 {"complete", complete},
                 {"nfe", decoding.passes},
                 {"prompt_tokens", prompt.size()},
                 {"tokens", decoding.window},
                 {"model", model.info().name},
                 {"backend", backend->name()},
                 {"action", action_json(action)},
                 {"seconds", {{"load", load_seconds}, {"unmask", seconds_since(decode_start)}}}};
    if (backend->approximate()) json["approximate"] = true;
    print_json(json);
  } else {
    print_answer(answer, trace_out.to_stdout() ? stderr : stdout);
  }
  std::fflush(stdout);
  trace_out.write(trace);
  return decoding.interrupted ? kExitInterrupted : 0;
}

void declare(OptionSet& options, GenerateOptions& o) {
  options.argument("PROMPT", o.prompt, "the user's message; - for stdin");
  options.value("model", o.model,
                "NAME=WHERE or WHERE: an embedded model (the default), a directory, or org/name in "
                "the hub cache");
  options.value("prompt-file", o.prompt_file, "the user's message from a file");
  options.value("prompt-tokens", o.prompt_tokens,
                "the whole prompt as a JSON array of token ids, from a file");
  options.value("system", o.system, "a system message");
  options.flag("raw", o.raw, "the prompt as it is: no chat template, special tokens parsed");
  options.value("chat-template", o.chat_template, "a Jinja file instead of the model's template");
  options.value("length", o.length, "tokens to write; 0 for what the model recommends");
  options.value("schedule", o.schedule,
                "steady (--per-step tokens a pass), llada or dream (the references')");
  options.value("per-step", o.decode.per_step, "tokens a pass of the steady schedule");
  options.value("steps", o.decode.steps, "passes of a reference schedule; 0 for one per token");
  options.value("block-length", o.decode.block_length,
                "decode block by block; 0 for the model's way");
  options.value("threshold", o.decode.threshold,
                "commit every token at least this confident; 0 for never");
  options.flag("stop-at-end", o.stop_at_end, "stop after a block in which the text ended");
  options.flag("no-stop-at-end", o.no_stop_at_end, "fill the whole length");
  options.value("action", o.action, "KEY=VALUE,...: the options below in one");
  Action().visit([&](auto& field, const char* name, const char* help) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, bool>)
      options.flag(name, o.switches[name], help);
    else
      options.value(name, o.fields[name], help);
  });
  options.value(
      "trace", o.trace,
      "a JSON Lines file: what each pass committed; - for stdout, the answer then on stderr");
  o.common.declare(options);
  options.footer(
      "Without action options the model's recommended action is used (umf models WHERE shows it).\n"
      "Example: umf generate --model DIR --length 128 \"Write a haiku about masks.\"");
}

}  // namespace

Command generate_command() {
  return {"generate", "one plain decoding, no search", [](OptionSet& options) {
            auto o = std::make_shared<GenerateOptions>();
            declare(options, *o);
            return [o] { return generate(*o); };
          }};
}

}  // namespace umf
