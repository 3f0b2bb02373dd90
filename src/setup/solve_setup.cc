#include "setup/solve_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/json.h"
#include "built_in.h"
#include "model/embedded.h"
#include "session/presets.h"
#include "setup/examples.h"
#include "setup/option_file.h"

namespace umf {
namespace {

template <class Number>
Number parse_number(std::string_view text, const char* option) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("{} = {} is not a number", option, text));
  }
  return value;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// "model=NAME,KEY=VALUE,...", in any order; several models as models=NAME+NAME.
ActionChoice parse_action(const std::string& text) {
  ActionChoice action;
  for (const std::string& part : split(text)) {
    if (part.starts_with("model="))
      action.model = part.substr(6);
    else if (part.starts_with("models="))
      action.model = part.substr(7);
    else
      action.fields += (action.fields.empty() ? "" : ",") + part;
  }
  return action;
}

std::uint64_t parse_memory(const std::string& text) {
  if (text.empty()) return 0;
  const double gigabytes = parse_number<double>(text, "--memory-limit");
  if (!(gigabytes > 0 && gigabytes < 1e6))
    throw Error("--memory-limit is in GB and must be above 0");
  return static_cast<std::uint64_t>(gigabytes * 1e9);
}

}  // namespace

void SolveCliOptions::declare(OptionSet& options) {
  options.argument("PROBLEM", problem, "a problem file; - for stdin; without it an example");
  options.value("example", example, "a problem of this program, by name");
  options.choices("example", [] {
    std::vector<std::string> names;
    for (const Example& one : examples()) names.push_back(one.name);
    return names;
  });
  options.flag("list-examples", list_examples, "list them");
  declare_shared(options);
  options.flag("list-presets", list_presets, "list the presets");
  options.flag("list-searches", list_searches, "list the searches");
  declare_one(options);
  options.flag("watch", watch, "show the text as it is unmasked, in place on the terminal");
  options.value(
      "trace", trace,
      "a JSON Lines file: one event per rollout; - for stdout, the answer then on stderr");
  options.value("report", report,
                "an HTML page: the search tree, and how each text came about; - as for --trace");
  declare_machine(options);
  options.footer(
      "A problem: {\"id\": \"haiku\", \"prompt\": \"Write a haiku about masks.\",\n"
      "            \"reward\": {\"type\": \"command\", \"argv\": [\"./judge\"]}}\n"
      "A command gets {\"id\",\"prompt\",\"answer\"} on stdin and prints a number or "
      "{\"reward\",\"why\"}.\n"
      "Simple checks: {\"type\": \"text\", \"checks\": [{\"contains\": \"mask\"}, "
      "{\"longer-than\": 20}]}\n"
      "A process reward model: {\"type\": \"prm\", \"model\": WHERE, \"aggregate\": \"min\"}, or "
      "product or last");
}

void SolveCliOptions::declare_one(OptionSet& options) {
  options.value("budget", budget,
                "forward passes to spend; 0 for 16 windows, or for no end with --seconds");
  options.value("curve", curve, "also give the result at these smaller budgets: 768,1536,...");
  options.value("checkpoint", checkpoint,
                "a file that is written as the search goes and continued after a break");
}

void SolveCliOptions::declare_machine(OptionSet& options) {
  options.value("memory-limit", memory_limit,
                "GB of weights in memory, of each device; the idle model is put aside above it");
  options.value("workers", workers,
                "rollouts at once (in umf bench and umf tune: of as many searches); same result, "
                "threads are shared; 1, or one per device of --devices");
  devices.declare(options);
  options.flag("unsafe-no-sandbox", unsafe,
               "run candidates' programs without isolation where there is none");
  options.flag("mix-devices", mix_devices,
               "go on with a run or checkpoint that was begun on another kind of GPU, whose "
               "results differ in the last bits; a run is marked");
  common.declare(options);
  common.declare_strictness(options);
}

void SolveCliOptions::read(const Json& file, const std::string& where) {
  if (!file.is_object()) throw Error(fmt::format("{} must be an object of options", where));
  if (file.contains("config")) throw Error(fmt::format("{} cannot name another 'config'", where));
  parse_options(where, words_of(file, where), [this](OptionSet& set) { declare_shared(set); });
}

void SolveCliOptions::read_search(const Json& wanted, const std::string& where) {
  parse_options(where, words_of(wanted, where), [this](OptionSet& set) {
    declare_shared(set);
    declare_one(set);
  });
}

void SolveCliOptions::read_machine(const Json& wanted, const std::string& where) {
  parse_options(where, words_of(wanted, where), [this](OptionSet& set) { declare_machine(set); });
}

void SolveCliOptions::declare_shared(OptionSet& options) {
  options.call(
      "config", [this](const std::string& path) { read(parse_json(read_input(path), path), path); },
      "a JSON file with options of this list, as umf tune writes it; others stand above it");
  options.values(
      "model", models,
      "NAME=WHERE or WHERE, repeatable, the strongest first; without it the embedded models");
  options.choices("model", known_models);
  options.values("action", actions,
                 "KEY=VALUE,... with model=NAME, repeatable: one way to unmask, strongest first");
  options.value("preset", preset, "a configuration of the paper by name");
  options.choices("preset", [] {
    std::vector<std::string> names;
    for (const Preset& one : presets()) names.push_back(one.name);
    return names;
  });
  options.value("search", search,
                "unmaskfork; odds for the last points of a large budget, where tests are cheap; "
                "best-of-n for one action; others are for comparison (--list-searches)");
  options.choices("search", [] {
    std::vector<std::string> names;
    for (const SearchEntry& one : searches()) names.emplace_back(one.facts.name);
    return names;
  });
  options.value("window", window,
                "tokens of the answer; 0 for what the models recommend, with a preset 768");
  options.value("ratios", ratios,
                "where to branch, as shares of masks: 0.9,0.8,0.7,0.6,0.5,0.4,0.2 without it");
  options.value("seconds", seconds,
                "end a search after so many seconds from its first pass with the best answer so "
                "far, as a budget of the passes it made would; 0 for no such end");
  options.value("budget-policy", budget_policy,
                "the rollout that does not fit: cut, finish or skip");
  options.choices("budget-policy", [] {
    return std::vector<std::string>{"cut", "finish", "skip"};
  });
  options.value("budget-unit", budget_unit,
                "what budgets count: passes, or with anchor= their arithmetic: equivalents");
  options.value("window-policy", window_policy,
                "after a change of tokenizer: preserve-masks or fixed-window");
  options.value("block-length", block_length, "decode block by block; 0 for none");
  options.flag("closed-text", closed_text,
               "spend no passes behind the end of a text that can no longer change; same rewards");
  options.flag("no-cache", no_cache, "run and pay known rollouts again");
  options.value("stop-at-reward", stop_at_reward,
                "end the search at this reward; never spends the whole budget");
  options.value("seed", seed, "chooses the noise of all actions and of the search");
  declare_search_options(options, search_options);
}

void declare_search_options(OptionSet& options, ChosenOptions& chosen) {
  for (const SearchEntry& entry : searches()) {
    const std::string prefix =
        entry.facts.name == default_search() ? "" : fmt::format("{}-", entry.facts.name);
    for (const OptionField& field : chosen.at(entry.facts.name, entry.options).fields()) {
      const auto declare = [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), bool*>)
          options.flag(prefix + field.name, *target, field.help);
        else
          options.value(prefix + field.name, *target, field.help);
      };
      std::visit(declare, field.value);
    }
  }
}

WorkerDevices SolveCliOptions::worker_devices() const {
  std::optional<int> wanted;
  if (workers) wanted = parse_number<int>(*workers, "--workers");
  return {common, devices, wanted};
}

std::unique_ptr<ModelCache> make_model_cache(const SolveCliOptions& options,
                                             const WorkerDevices& devices, Backend& backend) {
  return devices.make_model_cache(backend, parse_memory(options.memory_limit));
}

// What was found best for the embedded models, where they are searched and nothing else is said.
bool SolveCliOptions::read_built_in() {
  const bool silent = models.empty() && actions.empty() && preset.empty() &&
                      search == SolveCliOptions().search && !embedded_models().empty();
  if (!silent) return false;
  for (const BuiltInFolder& folder : built_in_configuration()) {
    for (const BuiltInFile& file : folder.files)
      read(parse_json(file.text(), std::string(file.name)), std::string(file.name));
  }
  return true;
}

SearchRequest SolveCliOptions::request() const {
  if (SolveCliOptions own = *this; own.read_built_in()) return own.request();
  if (window < 0) throw Error(fmt::format("--window must not be negative, not {}", window));
  if (budget < 0) throw Error(fmt::format("--budget must not be negative, not {}", budget));
  if (!(seconds >= 0 && seconds < 1e9))
    throw Error(fmt::format("--seconds must be 0 or more, not {}", seconds));
  SearchRequest request{.search = search,
                        .preset = preset,
                        .options = search_options,
                        .window = window,
                        .budget = budget,
                        .seconds = seconds,
                        .ratios = ratios,
                        .budget_policy = budget_policy,
                        .window_policy = window_policy,
                        .budget_unit = budget_unit,
                        .block_length = block_length,
                        .use_cache = !no_cache,
                        .closed_text = closed_text,
                        .seed = seed,
                        .workers = worker_devices().workers(),
                        .workers_chosen = workers.has_value()};
  for (const std::string& text : models) request.models.push_back(parse_model_choice(text));
  if (models.empty() && preset.empty()) {
    for (const std::string& name : default_models("a search"))
      request.models.push_back({name, name});
  }
  for (const std::string& text : actions) request.actions.push_back(parse_action(text));
  request.stop_at_reward = parse_stop_at_reward(stop_at_reward);
  for (const std::string& smaller : split(curve))
    request.curve.push_back(parse_number<long>(smaller, "--curve"));
  return request;
}

std::optional<double> parse_stop_at_reward(const std::string& text) {
  if (text == "never") return std::nullopt;
  return parse_number<double>(text, "--stop-at-reward");
}

int opened(const ModelChoice& choice, ModelCache& model_cache, const CommonOptions& common) {
  const Location location = find_checkpoint(choice.where);
  for (int i = 0; i < model_cache.size(); ++i) {
    if (model_cache.checkpoint(i).location.is(location)) return i;
  }
  return model_cache.add(choice.name, common.open(location));
}

Configuration make_configuration(const SolveCliOptions& options, ModelCache& model_cache) {
  Configuration made = plan_search(options.request(), model_cache, [&](const ModelChoice& choice) {
    return opened(choice, model_cache, options.common);
  });
  made.mix_devices = options.mix_devices;
  return made;
}

}  // namespace umf
