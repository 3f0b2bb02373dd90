#include "cli/solve_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/nearest.h"
#include "search/checkpoints.h"
#include "session/presets.h"

namespace umf {
namespace {

constexpr int kPaperWindow = 768, kMostWorkers = 64;

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

// Before models are opened; the beam search stands beside the table.
void require_known_search(const std::string& name) {
  std::vector<std::string> known = {std::string(kTreasureName)};
  for (const SearchEntry& entry : searches()) known.emplace_back(entry.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string near = nearest(name, known);
  throw Error(fmt::format(
      "unknown search '{}'. {}", name,
      near.empty() ? "umf solve --list-searches shows them all" : "Did you mean " + near + "?"));
}

// An action before its model is known by number.
struct PlannedAction {
  std::string model, fields;
};

PlannedAction parse_planned(const std::string& text) {
  PlannedAction planned;
  for (const std::string& part : split(text)) {
    if (part.starts_with("model="))
      planned.model = part.substr(6);
    else
      planned.fields += (planned.fields.empty() ? "" : ",") + part;
  }
  return planned;
}

// Which models stand where, and which actions are asked for, by name.
struct Plan {
  std::vector<ModelChoice> models;
  std::vector<PlannedAction> actions;

  void add_model(const ModelChoice& choice) {
    for (ModelChoice& known : models) {
      if (known.name == choice.name) {
        known.where = choice.where;
        return;
      }
    }
    models.push_back(choice);
  }
  int number_of(const std::string& name) const {
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (models[i].name == name) return static_cast<int>(i);
    }
    throw Error(fmt::format("no --model is called '{}'", name));
  }
};

Plan make_plan(const SolveCliOptions& options) {
  Plan plan;
  if (!options.preset.empty()) {
    for (const PresetAction& action : find_preset(options.preset).actions) {
      plan.add_model({action.model, published_id(action.model)});
      plan.actions.push_back({action.model, action.fields});
    }
  }
  // With a preset a model given by name says where it lies.
  for (const std::string& text : options.models) plan.add_model(parse_model_choice(text));
  if (plan.models.empty()) {
    for (const std::string& name : default_models("a search")) plan.add_model({name, name});
  }
  for (const std::string& text : options.actions) plan.actions.push_back(parse_planned(text));
  if (plan.actions.empty()) {
    for (const ModelChoice& model : plan.models) plan.actions.push_back({model.name, ""});
  }
  for (PlannedAction& action : plan.actions) {
    if (action.model.empty() && plan.models.size() == 1) action.model = plan.models.front().name;
    if (action.model.empty()) throw Error("with several models every --action needs model=NAME");
  }
  return plan;
}

// The number of an opened checkpoint: configurations of one run share their models.
int on_shelf(const ModelChoice& choice, Shelf& shelf) {
  const Location location = find_checkpoint(choice.where);
  for (int i = 0; i < shelf.size(); ++i) {
    if (shelf.checkpoint(i).location.folder.is(location.folder)) return i;
  }
  return shelf.add(choice.name, open_checkpoint(location));
}

void open_models(const Plan& plan, Shelf& shelf, Configuration& made) {
  for (const ModelChoice& choice : plan.models) {
    made.models.push_back(on_shelf(choice, shelf));
    made.model_names.push_back(choice.name);
  }
}

void add_actions(const Plan& plan, Shelf& shelf, Configuration& made) {
  for (const PlannedAction& planned : plan.actions) {
    Action action = first_action(made, shelf, plan.number_of(planned.model));
    set_fields(action, planned.fields);
    add_action(made, action);
  }
}

std::uint64_t parse_memory(const std::string& text) {
  if (text.empty()) return 0;
  const double gigabytes = parse_number<double>(text, "--memory-limit");
  if (!(gigabytes > 0 && gigabytes < 1e6))
    throw Error("--memory-limit is in GB and must be above 0");
  return static_cast<std::uint64_t>(gigabytes * 1e9);
}

SolveOptions solve_options(const SolveCliOptions& options, int window) {
  SolveOptions solve;
  solve.budget = options.budget != 0 ? options.budget : kDefaultWindows * window;
  if (solve.budget < 0)
    throw Error(fmt::format("--budget must not be negative, not {}", solve.budget));
  solve.policy = parse_budget_policy(options.budget_policy);
  solve.use_cache = !options.no_cache;
  if (options.stop_at_reward != "never") {
    solve.stop_at_reward = parse_number<double>(options.stop_at_reward, "--stop-at-reward");
  }
  for (const std::string& budget : split(options.curve))
    solve.curve.push_back(parse_number<long>(budget, "--curve"));
  return solve;
}

}  // namespace

void SolveCliOptions::declare(OptionSet& options) {
  options.argument("PROBLEM", problem, "a problem file; - for stdin; without it an example");
  options.value("example", example, "a problem of this program, by name");
  options.flag("list-examples", list_examples, "list them");
  declare_shared(options);
  options.flag("list-presets", list_presets, "list the presets");
  options.flag("list-searches", list_searches, "list the searches");
  options.value("budget", budget, "forward passes to spend; 0 for 16 windows");
  options.value("curve", curve, "also give the result at these smaller budgets: 768,1536,...");
  options.value("checkpoint", checkpoint,
                "a file that is written as the search goes and continued after a break");
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

void SolveCliOptions::declare_machine(OptionSet& options) {
  options.value("memory-limit", memory_limit,
                "GB of weights in memory; the idle model is put aside above it");
  options.value("workers", workers,
                "rollouts at once (of one search; in umf bench of as many searches); same result, "
                "threads are shared");
  options.flag("unsafe-no-sandbox", unsafe,
               "run candidates' programs without isolation where there is none");
  common.declare(options);
}

void SolveCliOptions::declare_shared(OptionSet& options) {
  options.values(
      "model", models,
      "NAME=WHERE or WHERE, repeatable, the strongest first; without it the embedded models");
  options.values("action", actions,
                 "KEY=VALUE,... with model=NAME, repeatable: one way to unmask, strongest first");
  options.value("preset", preset, "a configuration of the paper by name");
  options.value("search", search, "which search");
  options.value("window", window,
                "tokens of the answer; 0 for what the models recommend, with a preset 768");
  options.value("ratios", ratios,
                "where to branch, as shares of masks: 0.9,0.8,0.7,0.6,0.5,0.4,0.2 without it");
  options.value("budget-policy", budget_policy,
                "the rollout that does not fit: cut, finish or skip");
  options.value("window-policy", window_policy,
                "after a change of tokenizer: preserve-masks or fixed-window");
  options.value("block-length", block_length, "decode block by block; 0 for none");
  options.flag("closed-text", closed_text,
               "spend no passes behind the end of a text that can no longer change; same rewards");
  options.flag("no-cache", no_cache, "run and pay known rollouts again");
  options.value("stop-at-reward", stop_at_reward,
                "end the search at this reward; never spends the whole budget");
  options.value("seed", seed, "chooses the noise of all actions and of the search");
  const auto declare_search = [&](auto& fields, const std::string& prefix) {
    fields.visit([&](auto& field, const char* name, const char* help) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, bool>)
        options.flag(prefix + name, field, help);
      else
        options.value(prefix + name, field, help);
    });
  };
  declare_search(search_options.unmaskfork, "");
  declare_search(search_options.dts, "dts-");
  declare_search(search_options.ab_mcts_m, "ab-mcts-m-");
  declare_search(search_options.ab_mcts_a, "ab-mcts-a-");
  declare_search(treasure, "treasure-");
  options.value("pair-method", search_options.pair.method,
                "the search that each half of a pair runs");
}

// Workers share the threads; one that would get none gets one all the same.
std::unique_ptr<Backend> SolveCliOptions::make_backend(int worker) const {
  if (workers < 1 || workers > kMostWorkers)
    throw Error(fmt::format("--workers must be from 1 to {}, not {}", kMostWorkers, workers));
  BackendOptions share = common.reporting();
  const int threads = share.threads > 0 ? share.threads : usable_cores();
  if (share.threads >= 0)
    share.threads = std::max(1, threads / workers + (worker < threads % workers ? 1 : 0));
  return umf::make_backend(common.backend, share);
}

std::unique_ptr<Shelf> make_shelf(const SolveCliOptions& options, Backend& backend) {
  auto shelf = std::make_unique<Shelf>(backend, parse_memory(options.memory_limit));
  if (options.workers == 1) return shelf;
  if (!options.memory_limit.empty())
    throw Error(
        "--memory-limit puts idle models aside, and several workers keep all of them busy; leave "
        "out --memory-limit or --workers");
  for (int worker = 1; worker < options.workers; ++worker)
    shelf->add_replica(options.make_backend(worker));
  return shelf;
}

Configuration make_configuration(const SolveCliOptions& options, Shelf& shelf) {
  const Preset* preset = options.preset.empty() ? nullptr : &find_preset(options.preset);
  if (options.window < 0)
    throw Error(fmt::format("--window must not be negative, not {}", options.window));
  Configuration made;
  made.search_name = preset != nullptr ? preset->search : options.search;
  require_known_search(made.search_name);
  made.search_options = options.search_options;
  made.treasure = options.treasure;
  made.seed = options.seed;
  made.workers = options.workers;
  made.walk.ratios = options.ratios.empty()
                         ? std::vector<int>(std::begin(kPaperRatios), std::end(kPaperRatios))
                         : parse_ratios(options.ratios);
  made.walk.block_length =
      options.block_length != 0 || preset == nullptr ? options.block_length : preset->block_length;
  made.walk.policy = parse_window_policy(options.window_policy);
  made.walk.closed_text = options.closed_text;
  if (preset != nullptr && !preset->pair_method.empty())
    made.search_options.pair.method = preset->pair_method;
  const Plan plan = make_plan(options);
  open_models(plan, shelf, made);
  made.walk.window = options.window != 0 ? options.window
                     : preset != nullptr ? kPaperWindow
                                         : recommended_window(made, shelf);
  made.solve = solve_options(options, made.walk.window);
  set_budget(made, made.solve.budget);
  add_actions(plan, shelf, made);
  return made;
}

}  // namespace umf
