#include "decode/action.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

constexpr std::pair<Strategy, std::string_view> kStrategies[] = {
    {Strategy::kEntropy, "entropy"}, {Strategy::kLowConfidence, "low-confidence"},
    {Strategy::kMargin, "margin"},   {Strategy::kOrigin, "origin"},
    {Strategy::kRandom, "random"},
};

constexpr std::pair<Remask, std::string_view> kRemasks[] = {
    {Remask::kNone, "none"}, {Remask::kCap, "cap"},   {Remask::kRescale, "rescale"},
    {Remask::kConf, "conf"}, {Remask::kLoop, "loop"}, {Remask::kConfidenceLoop, "confidence-loop"},
    {Remask::kP2, "p2"},
};

constexpr std::pair<Ensemble, std::string_view> kEnsembles[] = {
    {Ensemble::kNone, "none"}, {Ensemble::kRelay, "relay"}, {Ensemble::kPoll, "poll"}};

constexpr std::pair<AnchorRule, std::string_view> kAnchorRules[] = {
    {AnchorRule::kNone, "none"},
    {AnchorRule::kCheckpoint, "checkpoint"},
    {AnchorRule::kBlock, "block"}};

template <class Value, std::size_t N>
std::string_view find_name(const std::pair<Value, std::string_view> (&table)[N], Value value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "";
}

template <class Value, std::size_t N>
Value find_value(const std::pair<Value, std::string_view> (&table)[N], const char* kind,
                 const std::string& name) {
  std::string known;
  for (const auto& [value, text] : table) {
    if (text == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw Error(fmt::format("there is no {} '{}'. Choose one of {}", kind, name, known));
}

void assign(Strategy& field, const std::string& key, const std::string& value) {
  static_cast<void>(key);
  field = parse_strategy(value);
}

void assign(Remask& field, const std::string& key, const std::string& value) {
  static_cast<void>(key);
  field = parse_remask(value);
}

void assign(Ensemble& field, const std::string& key, const std::string& value) {
  static_cast<void>(key);
  field = parse_ensemble(value);
}

void assign(AnchorRule& field, const std::string& key, const std::string& value) {
  static_cast<void>(key);
  field = parse_anchor_rule(value);
}

void assign(CommitRule& field, const std::string& key, const std::string& value) {
  static_cast<void>(key);
  field = parse_commit_rule(value);
}

void assign(bool& field, const std::string& key, const std::string& value) {
  if (value == "true" || value == "1" || value == "on")
    field = true;
  else if (value == "false" || value == "0" || value == "off")
    field = false;
  else
    throw Error(fmt::format("{} must be true or false, not '{}'", key, value));
}

template <class Number>
void assign(Number& field, const std::string& key, const std::string& value) {
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), field);
  if (failure != std::errc() || end != value.data() + value.size()) {
    throw Error(fmt::format("{} must be a number, not '{}'", key, value));
  }
}

// None where the model's own blocks are not made up of such.
int recommended_block(const ModelInfo& model) {
  const int block = model.block_length;
  return block > 0 && model.block % block == 0 ? block : 0;
}

bool by_chance(const Action& action) {
  return action.strategy == Strategy::kOrigin || action.strategy == Strategy::kRandom;
}

// P2 ranks all cells by what the model says of them, and decides how many masks are left.
bool goes_with_p2(const Action& action) {
  return !by_chance(action) && action.order_temperature == 0 && commits_one(action) &&
         action.anchor == AnchorRule::kNone && action.block == 0 && !action.grow;
}

// A recommended p2 gives way to other choices.
void give_way(Action& action, bool remask_chosen) {
  if (action.remask == Remask::kP2 && !remask_chosen && !goes_with_p2(action))
    action.remask = Remask::kNone;
}

void require(bool holds, const char* key, const char* range, double value) {
  if (!holds) throw Error(fmt::format("{} must be {}, not {}", key, range, value));
}

}  // namespace

std::string_view name_of(Strategy strategy) { return find_name(kStrategies, strategy); }
Strategy parse_strategy(const std::string& name) {
  return find_value(kStrategies, "strategy", name);
}

std::string_view name_of(Remask remask) { return find_name(kRemasks, remask); }
Remask parse_remask(const std::string& name) {
  return find_value(kRemasks, "rule of remasking", name);
}

std::string_view name_of(AnchorRule rule) { return find_name(kAnchorRules, rule); }
AnchorRule parse_anchor_rule(const std::string& name) {
  return find_value(kAnchorRules, "anchor", name);
}

std::string_view name_of(Ensemble ensemble) { return find_name(kEnsembles, ensemble); }
Ensemble parse_ensemble(const std::string& name) {
  return find_value(kEnsembles, "rule for several models", name);
}

std::vector<Action> members_of(const Action& action) {
  std::vector<Action> members = {action};
  members.front().others.clear();
  members.insert(members.end(), action.others.begin(), action.others.end());
  for (Action& member : members) member.ensemble = Ensemble::kNone;
  return members;
}

Action recommended_action(const ModelInfo& model) {
  Action action{.strategy = parse_strategy(model.strategy),
                .temperature = model.temperature,
                .top_p = model.top_p,
                .commit = parse_commit_rule(model.commit),
                .edit = model.edit,
                .block = recommended_block(model),
                .grow = model.grow,
                .remask = parse_remask(model.remask)};
  try {
    bool remask_chosen = false;
    for (const auto& [key, value] : model.advice.action) {
      set_field(action, key, value);
      remask_chosen = remask_chosen || key == "remask";
    }
    give_way(action, remask_chosen);
  } catch (const Error& mistake) {
    throw Error(fmt::format("{}: {}", model.advice.where, mistake.what()));
  }
  return action;
}

Action recommended_action(std::span<const ModelInfo* const> models) {
  Action action = recommended_action(*models.front());
  for (int model = 1; std::cmp_less(model, models.size()); ++model) {
    action.others.push_back(recommended_action(*models[model]));
    action.others.back().model = model;
    action.others.back().edit = action.edit = 1;  // what one model wrote, the others keep
  }
  if (models.size() > 1) set_fields(action, "rule=relay,remask=none,commit=tau:0.99");
  return action;
}

int recommended_window(const ModelInfo& model) {
  return model.advice.window > 0 ? model.advice.window : kDefaultWindow;
}

bool is_random(const Action& action) {
  return std::ranges::any_of(action.others, is_random) || action.temperature > 0 ||
         action.order_temperature > 0 || by_chance(action) || is_trajectory(action);
}

void check(const Action& action) {
  require(action.temperature >= 0 && std::isfinite(action.temperature), "temperature", "0 or more",
          action.temperature);
  require(action.top_p > 0 && action.top_p <= 1, "top-p", "above 0 and at most 1", action.top_p);
  require(action.top_k >= 0, "top-k", "0 or more", action.top_k);
  require(action.order_temperature >= 0 && std::isfinite(action.order_temperature),
          "order-temperature", "0 or more", action.order_temperature);
  require(action.eos_penalty >= 0 && std::isfinite(action.eos_penalty), "eos-penalty", "0 or more",
          action.eos_penalty);
  require(action.pad_factor > 0 && std::isfinite(action.pad_factor), "pad-factor", "above 0",
          action.pad_factor);
  require(action.remask_eta < 0 || action.remask_eta <= 1, "remask-eta", "at most 1",
          action.remask_eta);
  require(action.passes >= 0, "passes", "0 or more", action.passes);
  require(action.block >= 0, "block", "0 or more", action.block);
  require(action.active >= 1 && std::isfinite(action.active), "active", "1 or more", action.active);
  require(action.edit >= 0 && action.edit <= 1, "edit", "from 0 to 1", action.edit);
  if (edits(action) && (by_chance(action) || action.remask != Remask::kNone ||
                        action.anchor != AnchorRule::kNone || !action.others.empty())) {
    throw Error(fmt::format(
        "edit={} goes with one model and what it says of the block: no origin, random, remask, "
        "anchor or further models",
        action.edit));
  }
  if (!by_chance(action) && !is_trajectory(action)) return;
  const std::string_view chance =
      by_chance(action) ? name_of(action.strategy) : std::string_view("remask");
  if (action.anchor != AnchorRule::kNone) {
    throw Error(fmt::format("anchor={} does not go with {}: chance decides there what is computed",
                            name_of(action.anchor), chance));
  }
  if (!commits_one(action)) {
    throw Error(fmt::format("commit={} does not go with {}: chance decides there what is committed",
                            name_of(action.commit), chance));
  }
}

void check_for(const Action& action, const ModelInfo& model) {
  if (action.block > 0 && model.block % action.block != 0)
    throw Error(fmt::format("{} decodes in blocks of {}; block={} is no part of that", model.name,
                            model.block, action.block));
  if (action.remask != Remask::kP2) return;
  if (model.block > 0)
    throw Error(fmt::format("{} decodes in blocks of {}, and remask=p2 ranks all cells", model.name,
                            model.block));
  if (!goes_with_p2(action))
    throw Error(
        "remask=p2 ranks all cells and leaves one mask less: it goes with a strategy that "
        "looks, order-temperature=0, commit=one, anchor=none, block=0 and grow=false");
}

void set_field(Action& action, const std::string& key, const std::string& value) {
  Action changed = action;
  bool found = false;
  std::string known;
  changed.visit([&](auto& field, const char* name, const char*) {
    known += (known.empty() ? "" : ", ") + std::string(name);
    if (key != name) return;
    assign(field, key, value);
    found = true;
  });
  if (!found) throw Error(fmt::format("an action has no key '{}'. Known keys are {}", key, known));
  check(changed);
  for (Action& other : changed.others) set_field(other, key, value);
  action = changed;
}

void set_fields(Action& action, std::string_view assignments) {
  while (!assignments.empty()) {
    const std::string_view pair = assignments.substr(0, assignments.find(','));
    assignments.remove_prefix(std::min(pair.size() + 1, assignments.size()));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) {
      throw Error(fmt::format("an action is KEY=VALUE,..., but '{}' has no '='", pair));
    }
    set_field(action, std::string(pair.substr(0, equals)), std::string(pair.substr(equals + 1)));
  }
}

void choose_fields(Action& action, std::string_view assignments) {
  set_fields(action, assignments);
  give_way(action, fmt::format(",{}", assignments).find(",remask=") != std::string::npos);
}

std::string text_of(Action action) {
  std::string text = fmt::format("model={}", action.model);
  action.visit([&](const auto& field, const char* name, const char*) {
    if constexpr (requires { name_of(field); })
      text += fmt::format(",{}={}", name, name_of(field));
    else
      text += fmt::format(",{}={}", name, field);
  });
  for (const Action& other : action.others) text += fmt::format(" + {}", text_of(other));
  return text;
}

}  // namespace umf
