// umf models: what can be loaded, or one model described and checked, or written as GGUF, or where
// several would stand.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "backend/reference/reference_backend.h"
#include "base/cancelled.h"
#include "base/error.h"
#include "cli/common.h"
#include "cli/model_places.h"
#include "decode/action.h"
#include "model/embedded.h"
#include "model/expert_memory.h"
#include "model/gguf_export.h"
#include "model/language_model.h"
#include "model/model_check.h"
#include "model/process_reward_model.h"
#include "setup/progress.h"

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
  std::set<std::string> listed;
  for (const Family* family : kFamilies) {
    std::set<std::string> own;
    for (const ModelClass& one : family->classes) {
      if (!own.insert(one.architecture).second) continue;
      const bool named = family->only_if_named || listed.contains(one.architecture);
      fmt::print("  {:<28} {}{}\n", one.architecture, family->name,
                 !family->diffusion ? " (reward)"
                 : named            ? " (only as WHERE@NAME)"
                                    : "");
    }
    listed.merge(own);
  }
  fmt::print("umf models WHERE describes and checks one model.\n");
  return 0;
}

std::string name_of_attention(const Architecture& a) {
  const AttentionShape& attention = a.attention;
  if (a.causal_context)
    return fmt::format("blocks of {} behind the prompt, causal before them", attention.block);
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

std::string text_of(const Routing& routing) {
  std::string text = routing.sigmoid ? "sigmoid" : "softmax";
  if (routing.groups > 1)
    text += fmt::format(", {} of {} groups", routing.kept_groups, routing.groups);
  if (routing.normalised) text += ", divided by the sum";
  if (routing.scale != 1) text += fmt::format(", times {}", routing.scale);
  return text;
}

// Experts that rows seldom go to need not be in memory: the files are mapped.
std::string memory_text(const Checkpoint& c, const ExpertMemory& experts) {
  const auto all = static_cast<double>(c.weights.bytes()), own = static_cast<double>(experts.bytes);
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return fmt::format(
      "{:.2f} GB of experts and {:.2f} GB of other weights; this machine has {:.0f} GB{}",
      own / 1e9, (all - own) / 1e9, machine / 1e9,
      all < 0.9 * machine
          ? ""
          : ", so that the cpu backends will read experts from the disk again and "
            "again: quantise the model (--quantise), where its family has GGUF files");
}

void describe_experts(const MixtureShape& m, const Checkpoint& c, nlohmann::ordered_json& json) {
  const ExpertMemory memory = expert_memory(c);
  json["experts"] = m.routing.experts;
  json["experts_per_row"] = m.routing.chosen;
  json["expert_width"] = m.width;
  if (m.shared_width > 0) json["shared_width"] = m.shared_width;
  json["expert_layers"] = std::ranges::count(m.layers, true);
  json["routing"] = text_of(m.routing);
  json["used_parameters"] = memory.active_parameters;
  json["expert_bytes"] = memory.bytes;
  json["memory"] = memory_text(c, memory);
}

// In the order in which a person reads it.
nlohmann::ordered_json describe(const Checkpoint& c) {
  const Architecture& a = c.architecture;
  nlohmann::ordered_json json = {
      {"directory", c.location.place()},
      {"commit", c.location.commit.empty() ? Json(nullptr) : Json(c.location.commit)},
      {"family", c.family->name},
      {"architecture", c.model_class.architecture},
      {"parameters", c.weights.parameters()},
      {"weight_bytes", c.weights.bytes()},
      {"weight_type", c.weights.types()},
      {"files", c.weights.files()},
      {"tensors", c.weights.tensors().size()},
      {"fingerprint", c.run_fingerprint()},
      {"layers", a.layers},
      {"hidden", a.hidden},
      {"mlp", a.mlp},
      {"heads", a.attention.heads},
      {"kv_heads", a.attention.kv_heads},
      {"head_dim", a.attention.head_dim},
      {"attention", name_of_attention(a)},
      {"qk_norm", a.qk_norm},
      {"rope_theta", a.rope_theta},
      {"norm_eps", std::stod(fmt::format("{}", a.norm_eps))},
      {"max_length", a.max_length},
      {"vocabulary_rows", a.vocabulary},
      {"tokenizer_size", c.tokenizer.size()},
      {"logits", c.shifted          ? "row i - 1 speaks of position i"
                 : a.causal_context ? "row i speaks of position i; of a block's first, row i - 1"
                                    : "row i speaks of position i"},
      {"head", a.tied_head ? "tied to the embedding" : "its own"},
      {"chat_template", c.own_template                    ? "the checkpoint's own"
                        : c.family->chat_template.empty() ? "none: plain text alone"
                                                          : "the family's layout"},
      {"ignored_keys", c.ignored_keys},
      {"ignored_tensors", c.ignored_tensors},
      {"warnings", c.warnings}};
  if (!c.family->diffusion) json.erase("head");
  if (a.mixture) describe_experts(*a.mixture, c, json);
  if (a.rotated > 0) json["rotated"] = a.rotated;
  if (a.stretch)
    json["rotation"] =
        fmt::format("stretched {} times from {}", a.stretch->factor, a.stretch->length);
  if (a.query_growth)
    json["queries"] = fmt::format("grow by {} ln(1 + floor(position / {}))", a.query_growth->share,
                                  a.query_growth->length);
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
  PlacesWanted places;
  bool check = false;
  std::optional<std::string> quantise, type;
};

// Building the model checks every tensor against the configuration. Without a pass the plain
// backend does: it maps and copies nothing.
std::optional<ModelCheck> build(const ModelsOptions& options, const std::string& name,
                                Checkpoint checkpoint) {
  CommonOptions common = options.common;
  if (common.backend == "auto") common.backend = "cpu";  // whose fingerprints can be compared
  const auto backend = options.check ? common.make_backend() : make_reference_backend();
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

int quantise_model(const ModelsOptions& options, const std::string& out) {
  const Location location = find_checkpoint(parse_model_choice(options.where).where);
  const Checkpoint checkpoint = options.common.open(location);
  watch_for_interrupts();
  Progress progress(options.common.quiet);
  std::uint64_t bytes = 0;
  const GgufExport wish{
      .out = out,
      .type = options.type.value_or("Q8_0"),
      .threads = options.common.machine.threads,
      .progress = [&](std::uint64_t done, std::uint64_t all) {
        if (interrupted()) throw Cancelled();
        bytes = done;
        progress.show(
            [&] { return fmt::format("{:.1f} of {:.1f} GB written", done / 1e9, all / 1e9); });
      }};
  write_gguf(checkpoint, *open_source(location), wish);
  progress.clear();
  if (options.common.json)
    print_json({{"file", out}, {"type", wish.type}, {"weight_bytes", bytes}});
  else
    fmt::print("{}: {}, {} bytes of weights\n", out, wish.type, bytes);
  return 0;
}

int places(const ModelsOptions& options) {
  if (options.places.models.empty())
    throw Error("--devices asks where models would stand: umf models WHERE... --devices 0,1");
  if (options.check || options.quantise)
    throw Error("--devices loads no model: leave out --check and --quantise");
  return show_places(options.common, options.places);
}

int run(ModelsOptions options) {
  const PlacesWanted& wanted = options.places;
  if (!wanted.devices.devices.empty()) return places(options);
  if (!wanted.devices.place.empty() || wanted.memory_limit_gb != 0 || wanted.models.size() > 1)
    throw Error(
        "several models, --place and --memory-limit ask where models would stand; give --devices, "
        "too: umf models a=WHERE b=WHERE --devices 0,1 --place a=0,b=1");
  if (!wanted.models.empty()) options.where = wanted.models.front();
  if (options.type && !options.quantise) throw Error("--type needs --quantise OUT.gguf");
  if (options.where.empty() && options.quantise)
    throw Error("--quantise needs a model: umf models WHERE --quantise OUT.gguf");
  if (options.where.empty() && options.check)
    throw Error("--check needs a model: umf models WHERE --check");
  if (options.check && options.quantise) throw Error("--check and --quantise exclude each other");
  if (options.where.empty()) return list_models(options.common.json);
  return options.quantise ? quantise_model(options, *options.quantise) : describe_model(options);
}

}  // namespace

Command models_command() {
  return {
      "models", "list what can be loaded, or describe and check one model", [](OptionSet& options) {
        auto o = std::make_shared<ModelsOptions>();
        options.arguments(
            "WHERE", o->places.models,
            "an embedded model, a directory with config.json and *.safetensors, a *.gguf file "
            "(of a split one the first), or org/name; with --devices several, NAME=WHERE");
        options.choices("WHERE", known_models);
        options.flag("check", o->check,
                     "run one pass of a fixed input and print a fingerprint of its "
                     "predictions");
        options.value("quantise", o->quantise,
                      "write the model (llada, dream, llada-moe, rnd1) as this GGUF file instead");
        options.value("type", o->type,
                      fmt::format("of the matrices in that file: {}; Q8_0 if not given",
                                  fmt::join(gguf_export_types(), ", ")));
        o->places.devices.declare(options);
        options.value("memory-limit", o->places.memory_limit_gb,
                      "with --devices: GB of weights that each may hold; 0 for what room it has");
        o->common.declare(options);
        o->common.declare_strictness(options);
        options.footer(
            "WHERE@FAMILY names the family where the files are those of other models, too (umf "
            "models\n"
            "lists the families); it goes with every option and file that names a model.\n"
            "The description says what the files hold and nothing is computed from: keys of "
            "config.json\n"
            "that are not known (a warning) and tensors that are known to be unused.\n"
            "Fingerprints of --check are equal for equal models on every machine with the cpu "
            "backend,\n"
            "which --backend auto is here; between backends, compare the tokens\n"
            "(docs/models.md#comparing-models).\n"
            "With --devices nothing is loaded: it tells where the models of one search would "
            "stand, what\n"
            "room is left, and by status 1 that they do not fit (docs/devices.md).\n"
            "GGUF files of llada, dream, llada-moe and rnd1 models are read in F32, F16, BF16, "
            "Q4_0, Q4_1,\n"
            "Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K, so in published files called Q4_K_M, Q5_K_M, "
            "Q6_K, Q8_0\n"
            "and the like;\n"
            "--quantise writes one (docs/models.md#gguf-files).");
        return [o] { return run(*o); };
      }};
}

}  // namespace umf
