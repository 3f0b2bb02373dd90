// umf models: what can be loaded, or one model described and checked.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "backend/reference/reference_backend.h"
#include "base/error.h"
#include "cli/common.h"
#include "decode/action.h"
#include "model/embedded.h"
#include "model/language_model.h"
#include "model/model_check.h"
#include "model/process_reward_model.h"

namespace umf {
namespace {

int list_models(bool json) {
  const std::vector<std::string> cached = cached_models();
  if (json) {
    Json embedded = Json::array();
    for (const BuiltInFolder& model : embedded_models()) embedded.push_back(model.name);
    print_json({{"embedded", embedded}, {"cached", cached}});
    return 0;
  }
  fmt::print("Embedded in this program:\n");
  for (const BuiltInFolder& model : embedded_models()) {
    const Checkpoint checkpoint = open_checkpoint({model, ""});
    fmt::print("  {:<10} {}, {:.1f} million parameters\n", model.name, checkpoint.family->name,
               static_cast<double>(checkpoint.weights.parameters()) / 1e6);
  }
  if (embedded_models().empty()) fmt::print("  (none)\n");
  fmt::print("In the local hub cache:\n");
  for (const std::string& id : cached) fmt::print("  {}\n", id);
  if (cached.empty())
    fmt::print("  (none; hf download GSAI-ML/LLaDA-8B-Instruct would fetch one)\n");
  fmt::print("Supported architectures:\n");
  for (const Family* family : kFamilies) {
    fmt::print("  {:<28} {}\n", family->architecture,
               family->diffusion ? family->name : family->name + " (reward)");
  }
  fmt::print("umf models WHERE describes and checks one model.\n");
  return 0;
}

std::string name_of(const AttentionShape& attention) {
  switch (attention.kind) {
    case AttentionKind::kCausal:
      return "causal";
    case AttentionKind::kBlockCausal:
      return fmt::format("block-causal, {}", attention.block);
    case AttentionKind::kFull:
      break;
  }
  return "full";
}

Json token_json(const Tokenizer& tokenizer, std::optional<Token> token) {
  if (!token) return nullptr;
  return {{"id", *token}, {"text", tokenizer.bytes(*token)}};
}

// "strategy=entropy,temperature=0.1": what differs from an action of nothing in particular.
std::string chosen_fields(Action action) {
  std::string text =
      fmt::format("strategy={},temperature={}", name_of(action.strategy), action.temperature);
  Action plain{.strategy = action.strategy, .temperature = action.temperature};
  std::vector<std::string> defaults;
  const auto value_of = [](const auto& field) {
    if constexpr (requires { name_of(field); })
      return std::string(name_of(field));
    else
      return fmt::format("{}", field);
  };
  plain.visit([&](auto& field, const char*, const char*) { defaults.push_back(value_of(field)); });
  auto other = defaults.begin();
  action.visit([&](auto& field, const char* name, const char*) {
    if (const std::string value = value_of(field); value != *other++)
      text += fmt::format(",{}={}", name, value);
  });
  return text;
}

// In the order in which a person reads it.
nlohmann::ordered_json describe(const Checkpoint& c) {
  const Architecture& a = c.architecture;
  nlohmann::ordered_json json = {
      {"directory", c.location.place()},
      {"commit", c.location.commit.empty() ? Json(nullptr) : Json(c.location.commit)},
      {"family", c.family->name},
      {"architecture", c.family->architecture},
      {"parameters", c.weights.parameters()},
      {"weight_bytes", c.weights.bytes()},
      {"weight_type", c.weights.types()},
      {"files", c.weights.files()},
      {"tensors", c.weights.tensors().size()},
      {"fingerprint", fmt::format("{:016x}", c.weights.fingerprint())},
      {"layers", a.layers},
      {"hidden", a.hidden},
      {"mlp", a.mlp},
      {"heads", a.attention.heads},
      {"kv_heads", a.attention.kv_heads},
      {"head_dim", a.attention.head_dim},
      {"attention", name_of(a.attention)},
      {"rope_theta", a.rope_theta},
      {"norm_eps", std::stod(fmt::format("{}", a.norm_eps))},
      {"max_length", a.max_length},
      {"vocabulary_rows", a.vocabulary},
      {"tokenizer_size", c.tokenizer.size()},
      {"logits", c.shifted ? "row i - 1 speaks of position i" : "row i speaks of position i"},
      {"head", a.tied_head ? "tied to the embedding" : "its own"},
      {"chat_template", c.own_template ? "the checkpoint's own" : "the family's layout"},
      {"ignored_keys", c.ignored_keys},
      {"ignored_tensors", c.ignored_tensors},
      {"warnings", c.warnings}};
  if (!c.family->diffusion) json.erase("head");
  if (c.family->diffusion) {
    json["mask_token"] = token_json(c.tokenizer, c.tokens.mask);
    json["end_of_text"] = token_json(c.tokenizer, c.tokens.end_of_text);
    json["end_of_turn"] = token_json(c.tokenizer, c.tokens.end_of_turn);
    json["padding"] = token_json(c.tokenizer, c.tokens.padding);
    const ModelInfo info = describe_model("", c, "");
    json["window"] = recommended_window(info);
    json["action"] = chosen_fields(recommended_action(info));
  }
  return json;
}

struct ModelsOptions {
  CommonOptions common;
  std::string where;
  bool check = false;
};

// Building the model checks every tensor against the configuration. Without a pass the plain
// backend does: it maps and copies nothing.
std::optional<ModelCheck> build(const ModelsOptions& options, const std::string& name,
                                Checkpoint checkpoint) {
  const auto backend = options.check ? options.common.make_backend() : make_reference_backend();
  if (!checkpoint.family->diffusion) {
    ProcessRewardModel model(std::move(checkpoint), *backend);
    return options.check ? std::optional(check_model(model)) : std::nullopt;
  }
  LanguageModel model(name, std::move(checkpoint), *backend);
  return options.check ? std::optional(check_model(model)) : std::nullopt;
}

std::string to_line(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("text"))
    return fmt::format("{} {}", value["id"].get<int>(), value["text"].get<std::string>());
  if (value.is_object())
    return fmt::format("fingerprint {} on {}{}", value["fingerprint"].get<std::string>(),
                       value["backend"].get<std::string>(),
                       value["tokens"].empty() ? "" : "; tokens " + to_line(value["tokens"]));
  if (!value.is_array()) return value.dump();
  std::string line;
  for (const auto& entry : value) line += (line.empty() ? "" : ", ") + to_line(entry);
  return line;
}

int describe_model(const ModelsOptions& options) {
  const ModelChoice choice = parse_model_choice(options.where);
  Checkpoint checkpoint = options.common.open(find_checkpoint(choice.where));
  nlohmann::ordered_json description = describe(checkpoint);
  if (const auto check = build(options, choice.name, std::move(checkpoint))) {
    description["predictions"] = {{"backend", check->backend},
                                  {"fingerprint", check->fingerprint},
                                  {"tokens", check->tokens}};
  }
  if (options.common.json) {
    print_in_order(description);
    return 0;
  }
  description.erase("warnings");  // they stand on stderr
  for (const auto& [key, value] : description.items()) {
    if (!value.is_null() && !(value.is_array() && value.empty()))
      fmt::print("{:<16} {}\n", key, to_line(value));
  }
  fmt::print("{:<16} all tensors are there, with the shapes and types of the configuration\n",
             "check");
  return 0;
}

}  // namespace

Command models_command() {
  return {"models", "list what can be loaded, or describe and check one model",
          [](OptionSet& options) {
            auto o = std::make_shared<ModelsOptions>();
            o->common.backend = "cpu";  // whose fingerprints can be compared
            options.argument(
                "WHERE", o->where,
                "an embedded model, a directory with config.json and *.safetensors, a *.gguf file "
                "(of a split one the first), or org/name");
            options.flag("check", o->check,
                         "run one pass of a fixed input and print a fingerprint of its "
                         "predictions");
            o->common.declare(options);
            o->common.declare_strictness(options);
            options.footer(
                "The description says what the files hold and nothing is computed from: keys of "
                "config.json\n"
                "that are not known (a warning) and tensors that are known to be unused.\n"
                "Fingerprints of --check are equal for equal models on every machine with the cpu "
                "backend;\n"
                "between backends, compare the tokens (docs/models.md#comparing-models).");
            return [o] {
              if (!o->where.empty()) return describe_model(*o);
              if (o->check) throw Error("--check needs a model: umf models WHERE --check");
              return list_models(o->common.json);
            };
          }};
}

}  // namespace umf
