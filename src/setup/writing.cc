#include "setup/writing.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/stopwatch.h"
#include "search/checkpoints.h"
#include "setup/solve_setup.h"
#include "setup/token_list.h"

namespace umf {
namespace {

// The models' recommended action, changed by --action and by the options of the same names.
Action chosen_action(const WritingOptions& options, std::span<const ModelInfo* const> models) {
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

// What the options say in words.
WritingOptions read(WritingOptions options) {
  if (options.stop_at_end && options.no_stop_at_end)
    throw Error("--stop-at-end and --no-stop-at-end exclude each other");
  if (options.stop_at_end || options.no_stop_at_end)
    options.decode.stop_at_end = options.stop_at_end;
  options.decode.schedule = parse_schedule(options.schedule);
  if (options.length < 0)
    throw Error(fmt::format("--length must not be negative, not {}", options.length));
  if (options.models.empty()) options.models = {default_models("umf generate").front()};
  return options;
}

}  // namespace

void WritingOptions::declare(OptionSet& options) {
  options.values(
      "model", models,
      "NAME=WHERE or WHERE: an embedded model (the default), a directory, a *.gguf file, or "
      "org/name in "
      "the hub cache; with @FAMILY behind it where files do not tell the family; repeatable: "
      "several write together (--rule)");
  options.choices("model", known_models);
  options.value("length", length, "tokens to write; 0 for what the model recommends");
  options.value("schedule", schedule,
                "steady (--per-step tokens a pass), llada or dream (the references')");
  options.value("per-step", decode.per_step, "tokens a pass of the steady schedule");
  options.value("steps", decode.steps, "passes of a reference schedule; 0 for one per token");
  options.value("block-length", decode.block_length,
                "decode block by block; 0 for the action's way (--block)");
  options.value("threshold", decode.threshold,
                "commit every token at least this confident; 0 for never");
  options.flag("stop-at-end", stop_at_end, "stop after a block in which the text ended");
  options.flag("no-stop-at-end", no_stop_at_end, "fill the whole length");
  options.value("action", action, "KEY=VALUE,...: the options below in one");
  Action().visit([&](auto& field, const char* name, const char* help) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, bool>)
      options.flag(name, switches[name], help);
    else
      options.value(name, fields[name], help);
  });
}

Writing::Writing(const WritingOptions& options, const WritingPrompt& prompt,
                 ModelCache& model_cache, const CommonOptions& common)
    : options_(read(options)), model_cache_(model_cache) {
  for (const std::string& text : options_.models) {
    const ModelChoice choice = parse_model_choice(text);
    models_.push_back(opened(choice, model_cache, common));
    names_.push_back(choice.name);
    name_ += (name_.empty() ? "" : "+") + choice.name;
  }
  if (models_.size() > 1 && prompt.tokens)
    throw Error("--prompt-tokens are those of one model; leave out the other --model");
  if (options_.length > 0) {
    options_.decode.length = options_.length;
  } else {
    options_.decode.length = 0;
    for (const ModelInfo* info : infos())
      options_.decode.length = std::max(options_.decode.length, recommended_window(*info));
  }
  action_ = chosen_action(options_, infos());
  make_setup(prompt);
}

std::vector<const ModelInfo*> Writing::infos() const {
  std::vector<const ModelInfo*> infos;
  for (const int number : models_) infos.push_back(&model_cache_.model(number).info());
  return infos;
}

std::vector<Token> Writing::tokens_of(const WritingPrompt& prompt, int number) const {
  const Checkpoint& checkpoint = model_cache_.checkpoint(number);
  if (prompt.tokens)
    return parse_token_list(*prompt.tokens, model_cache_.model(number).info().vocabulary,
                            prompt.where);
  if (prompt.messages.empty()) return checkpoint.tokenizer.encode(prompt.text, SpecialText::kParse);
  return encode_chat(checkpoint.tokenizer,
                     prompt.chat_template ? *prompt.chat_template : checkpoint.chat_template(),
                     prompt.messages, /*add_generation_prompt=*/true);
}

void Writing::make_setup(const WritingPrompt& prompt) {
  std::vector<Participant> participants;
  for (const int number : models_)
    participants.push_back({&model_cache_.model(number), &model_cache_.checkpoint(number).tokenizer,
                            tokens_of(prompt, number)});
  const bool together = models_.size() > 1;
  setup_.emplace(std::move(participants), std::vector<Action>{together ? action_ : Action()},
                 WalkOptions{.window = options_.decode.length,
                             .ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)},
                             .block_length = together ? options_.decode.block_length : 0,
                             .closed_text = !options_.no_stop_at_end});
}

Decoding Writing::write(const PassObserver& observer) {
  const double before = model_cache_.load_seconds();
  Decoding decoding;
  {
    const Stopwatch stopwatch(seconds_);
    const DecodeOptions& o = options_.decode;
    if (models_.size() == 1) {
      const Participant& writer = setup_->participants().front();
      decoding = decode(*writer.model, writer.prompt, action_, o, observer);
    } else {
      if (o.schedule != Schedule::kSteady || o.per_step != 1 || o.steps != 0 || o.threshold != 0)
        throw Error("models that write together follow rule= and commit=; leave out the schedule");
      decoding = decode_together(*setup_, observer);
    }
  }
  loaded_ = model_cache_.load_seconds() - before;
  return decoding;
}

std::string Writing::answer(const Decoding& decoding) const {
  const Lexicon& lexicon = lexicon_of(decoding);
  return to_valid_utf8(answer_text(*lexicon.tokenizer, lexicon.tokens, decoding.window));
}

// How many of the answer's tokens each model wrote.
Json Writing::shares(const Decoding& decoding) const {
  std::vector<int> counts(models_.size());
  for (std::size_t cell = 0; cell < decoding.window.size(); ++cell) {
    if (ends_text(lexicon_of(decoding).tokens, decoding.window[cell])) break;
    if (cell < decoding.writers.size() && decoding.writers[cell] >= 0)
      ++counts[decoding.writers[cell]];
  }
  Json json = Json::object();
  for (std::size_t i = 0; i < models_.size(); ++i) json[names_[i]] = counts[i];
  return json;
}

Json Writing::json(const Decoding& decoding, double load) const {
  const bool complete =
      std::ranges::find(decoding.window, lexicon_of(decoding).tokens.mask) == decoding.window.end();
  const Backend& backend = model_cache_.backend();
  Json json = {{"answer", answer(decoding)},
               {"complete", complete},
               {"nfe", decoding.passes},
               {"prompt_tokens", setup_->participants().front().prompt.size()},
               {"tokens", decoding.window},
               {"model", name_},
               {"backend", backend.name()},
               {"action", action_json(action_)},
               {"seconds", {{"load", load + loaded_}, {"unmask", seconds_ - loaded_}}}};
  if (!action_.others.empty()) json["written"] = shares(decoding);
  if (backend.approximate() || !is_exact(action_)) json["approximate"] = true;
  if (!is_exact(action_)) {
    json["partial_nfe"] = decoding.partial;
    json["equivalents"] = decoding.equivalents;
  }
  return json;
}

std::string trace_line(int pass, std::span<const Commit> commits, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const Commit& commit : commits) {
    list.push_back({{"cell", commit.cell},
                    {"token", commit.token},
                    {"text", to_valid_utf8(tokenizer.bytes(commit.token))}});
  }
  return Json({{"pass", pass}, {"commits", list}}).dump() + "\n";
}

}  // namespace umf
