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
#include "search/checkpoints.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

struct GenerateOptions {
  CommonOptions common;
  std::string prompt, action, schedule = "steady", system, trace, prompt_tokens;
  std::vector<std::string> models;
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

std::vector<Token> prompt_ids(const GenerateOptions& options, const std::string& text,
                              const LanguageModel& model) {
  if (!options.prompt_tokens.empty())
    return read_token_list(options.prompt_tokens, model.info().vocabulary);
  if (options.raw) return model.tokenizer().encode(text, SpecialText::kParse);
  std::vector<Message> messages;
  if (!options.system.empty()) messages.push_back({"system", options.system});
  messages.push_back({"user", text});
  const std::string source = options.chat_template ? read_input(*options.chat_template)
                                                   : model.checkpoint().chat_template();
  return encode_chat(model.tokenizer(), source, messages, /*add_generation_prompt=*/true);
}

// The models' recommended action, changed by --action and by the options of the same names.
Action chosen_action(const GenerateOptions& options, std::span<const ModelInfo* const> models) {
  Action action = recommended_action(models, options.decode);
  std::string assignments = options.action;
  const auto add = [&](const std::string& key, const std::string& value) {
    assignments += fmt::format("{}{}={}", assignments.empty() ? "" : ",", key, value);
  };
  for (const auto& [key, value] : options.fields) {
    if (value) add(key, *value);
  }
  for (const auto& [key, value] : options.switches) {
    if (value) add(key, "true");
  }
  choose_fields(action, assignments);
  return action;
}

// 0.1f as 0.1, not as the double next to it.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

Json action_json(Action action) {
  Json json = Json::object();
  action.visit([&](auto& field, const char* name, const char*) {
    if constexpr (requires { name_of(field); })
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

// One model, or several that write together.
class Writers {
 public:
  Writers(const GenerateOptions& options, Backend& backend) {
    std::vector<std::string> chosen = options.models;
    if (chosen.empty()) chosen = {default_models("umf generate").front()};
    for (const std::string& model : chosen) {
      const ModelChoice choice = parse_model_choice(model);
      models_.push_back(std::make_unique<LanguageModel>(
          choice.name, options.common.open(find_checkpoint(choice.where)), backend));
    }
    if (models_.size() > 1 && !options.prompt_tokens.empty())
      throw Error("--prompt-tokens are those of one model; leave out the other --model");
  }

  std::vector<const ModelInfo*> infos() const {
    std::vector<const ModelInfo*> infos;
    for (const auto& model : models_) infos.push_back(&model->info());
    return infos;
  }
  std::string name() const {
    std::string name;
    for (const auto& model : models_) name += (name.empty() ? "" : "+") + model->info().name;
    return name;
  }
  int recommended_length() const {
    int length = 0;
    for (const auto& model : models_) length = std::max(length, recommended_window(model->info()));
    return length;
  }
  WalkSetup setup(const GenerateOptions& options, const Action& action) const {
    std::vector<Participant> participants;
    const std::string text = options.prompt_tokens.empty() ? prompt_text(options) : "";
    for (const auto& model : models_)
      participants.push_back({model.get(), &model->tokenizer(), prompt_ids(options, text, *model)});
    return {std::move(participants),
            {models_.size() > 1 ? action : Action()},
            {.window = options.decode.length,
             .ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)},
             .block_length = models_.size() > 1 ? options.decode.block_length : 0,
             .closed_text = !options.no_stop_at_end}};
  }
  Decoding write(const WalkSetup& setup, const GenerateOptions& options, const Action& action,
                 const PassObserver& observer) const {
    if (models_.size() > 1) {
      const DecodeOptions& o = options.decode;
      if (o.schedule != Schedule::kSteady || o.per_step != 1 || o.steps != 0 || o.threshold != 0)
        throw Error("models that write together follow rule= and commit=; leave out the schedule");
      return decode_together(setup, observer);
    }
    return decode(*models_.front(), setup.participants().front().prompt, action, options.decode,
                  observer);
  }
  // How many of the answer's tokens each model wrote.
  Json shares(const Decoding& decoding, const Lexicon& lexicon) const {
    std::vector<int> counts(models_.size());
    for (std::size_t cell = 0; cell < decoding.window.size(); ++cell) {
      if (ends_text(lexicon.tokens, decoding.window[cell])) break;
      if (cell < decoding.writers.size() && decoding.writers[cell] >= 0)
        ++counts[decoding.writers[cell]];
    }
    Json json = Json::object();
    for (std::size_t i = 0; i < models_.size(); ++i) json[models_[i]->info().name] = counts[i];
    return json;
  }

 private:
  std::vector<std::unique_ptr<LanguageModel>> models_;
};

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
  const Writers writers(options, *backend);
  if (options.length < 0)
    throw Error(fmt::format("--length must not be negative, not {}", options.length));
  options.decode.length = options.length > 0 ? options.length : writers.recommended_length();
  const Action action = chosen_action(options, writers.infos());
  const WalkSetup setup = writers.setup(options, action);
  const double load_seconds = seconds_since(start);

  watch_for_interrupts();
  const auto decode_start = Clock::now();
  std::string trace;
  Decoding decoding;
  {
    Progress progress(options.common.quiet);
    decoding = writers.write(setup, options, action,
                             [&](const Decoding& now, std::span<const Commit> commits) {
                               const Lexicon& lexicon = setup.lexicons()[now.lexicon];
                               if (trace_out)
                                 trace += trace_line(now.passes, commits, *lexicon.tokenizer);
                               progress.show(now.passes, options.decode.length, writers.name());
                               return !interrupted();
                             });
  }
  const Lexicon& lexicon = setup.lexicons()[decoding.lexicon];
  const std::string answer =
      to_valid_utf8(answer_text(*lexicon.tokenizer, lexicon.tokens, decoding.window));
  if (options.common.json) {
    const bool complete =
        std::ranges::find(decoding.window, lexicon.tokens.mask) == decoding.window.end();
    Json json = {{"answer", answer},
                 {"complete", complete},
                 {"nfe", decoding.passes},
                 {"prompt_tokens", setup.participants().front().prompt.size()},
                 {"tokens", decoding.window},
                 {"model", writers.name()},
                 {"backend", backend->name()},
                 {"action", action_json(action)},
                 {"seconds", {{"load", load_seconds}, {"unmask", seconds_since(decode_start)}}}};
    if (!action.others.empty()) json["written"] = writers.shares(decoding, lexicon);
    if (backend->approximate() || !is_exact(action)) json["approximate"] = true;
    if (!is_exact(action)) {
      json["partial_nfe"] = decoding.partial;
      json["equivalents"] = decoding.equivalents;
    }
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
  options.values(
      "model", o.models,
      "NAME=WHERE or WHERE: an embedded model (the default), a directory, a *.gguf file, or "
      "org/name in "
      "the hub cache; with @FAMILY behind it where files do not tell the family; repeatable: "
      "several write together (--rule)");
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
                "decode block by block; 0 for the action's way (--block)");
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
  o.common.declare_strictness(options);
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
