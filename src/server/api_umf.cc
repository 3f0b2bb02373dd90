// The "umf" object of a request.
#include <fmt/core.h>

#include "search/checkpoints.h"
#include "server/api_error.h"
#include "server/api_request.h"
#include "server/request_fields.h"
#include "solve/solve.h"

namespace umf {
namespace {

constexpr std::size_t kActions = 64, kModels = 16, kOptions = 32;

// A value as --action would spell it.
std::string spelled(const Json& value, const std::string& name) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number_unsigned()) return fmt::format("{}", value.get<std::uint64_t>());
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  throw bad_request(name, "must be a string, a number, true or false");
}

// Several models of one action, as --action would spell them.
std::string joined_models(const Json& list, const std::string& name) {
  if (!list.is_array() || list.empty() || list.size() > kModels)
    throw bad_request(name, fmt::format("must be a list of 1 to {} names", kModels));
  std::string joined;
  for (const Json& model : list) {
    if (!model.is_string() || model.get<std::string>().empty())
      throw bad_request(name, "must be names of models");
    joined += (joined.empty() ? "" : "+") + model.get<std::string>();
  }
  return joined;
}

// Values that an action takes have no comma, so that the fields can be one text.
ActionChoice parse_action(const Json& object, const std::string& path) {
  const RequestFields fields(object, path);
  ActionChoice action{fields.text("model").value_or(""), ""};
  if (object.contains("models"))
    action.model = joined_models(object["models"], fields.name("models"));
  Action probe;
  for (const auto& [key, value] : object.items()) {
    if (key == "model" || key == "models") continue;
    std::string text = spelled(value, fields.name(key));
    try {
      set_field(probe, key, text);
    } catch (const Error& mistake) {
      throw ApiError(400, mistake.what(), fields.name(key));
    }
    action.fields += fmt::format("{}{}={}", action.fields.empty() ? "" : ",", key, text);
  }
  return action;
}

std::vector<ActionChoice> parse_actions(const RequestFields& umf) {
  const Json* list = umf.find("actions");
  if (list == nullptr) return {};
  if (!list->is_array() || list->empty() || list->size() > kActions)
    throw bad_request("umf.actions", fmt::format("must be a list of 1 to {} objects", kActions));
  std::vector<ActionChoice> actions;
  for (std::size_t i = 0; i < list->size(); ++i)
    actions.push_back(parse_action((*list)[i], fmt::format("umf.actions[{}]", i)));
  return actions;
}

// "tests" is short for the reward that runs them.
Json parse_reward(const RequestFields& umf) {
  const Json* reward = umf.find("reward");
  const Json* tests = umf.find("tests");
  if (reward != nullptr && tests != nullptr)
    throw bad_request("umf.tests", "and 'umf.reward' exclude each other");
  if (tests != nullptr) return {{"type", "python-tests"}, {"tests", *tests}};
  if (reward == nullptr) return nullptr;
  if (!reward->is_object() || !reward->contains("type") || !(*reward)["type"].is_string())
    throw bad_request("umf.reward", "must be an object with a 'type'");
  return *reward;
}

template <class Parse>
auto parsed(const std::string& param, Parse&& parse) {
  try {
    return parse();
  } catch (const ApiError&) {
    throw;
  } catch (const Error& mistake) {
    throw ApiError(400, mistake.what(), param);
  }
}

void parse_decode(const RequestFields& umf, int most, DecodeOptions& decode) {
  if (const auto schedule = umf.text("schedule"))
    decode.schedule = parsed("umf.schedule", [&] { return parse_schedule(*schedule); });
  decode.steps = static_cast<int>(umf.integer("steps", 1, 2 * most).value_or(0));
  decode.per_step = static_cast<int>(umf.integer("per_step", 1, most).value_or(1));
  decode.threshold = static_cast<float>(umf.number("threshold", 0, 1).value_or(0));
  decode.stop_at_end = umf.flag("stop_at_end");
}

// What the request's fields come on top of.
UmfRequest begun(const RequestFields& umf, const ServedConfiguration* configuration,
                 const Judged& judged) {
  UmfRequest request;
  const auto search = umf.text("search");
  if (configuration == nullptr) {
    request.search = search.value_or(judged.by_format ? default_search() : "");
    request.varied = judged.by_format && !search;
    request.actions = parse_actions(umf);
    for (std::string& name : umf.texts("models", kModels)) request.models.push_back({name, name});
    return request;
  }
  for (const char* key : {"models", "actions"}) {
    if (umf.has(key)) umf.refuse(key, kConfigured);
  }
  if (search && *search != configuration->search.search) umf.refuse("search", kConfigured);
  static_cast<SearchRequest&>(request) = configuration->search;
  if (search || judged.by_problem || judged.by_format || umf.has("reward") || umf.has("tests"))
    return request;
  if (judged.conversation && !configuration->reward.is_null()) {
    request.operators_reward = true;
    return request;
  }
  request.search.clear();
  request.actions.resize(1);
  return request;
}

void parse_search(const RequestFields& umf, const RequestLimits& limits, UmfRequest& request) {
  request.budget = umf.integer("budget", 1, limits.max_budget).value_or(request.budget);
  request.budget_policy = umf.text("budget_policy").value_or(request.budget_policy);
  parsed("umf.budget_policy", [&] { return parse_budget_policy(request.budget_policy); });
  request.budget_unit = umf.text("budget_unit").value_or(request.budget_unit);
  parsed("umf.budget_unit", [&] { return parse_budget_unit(request.budget_unit); });
  request.ratios = umf.text("ratios").value_or(request.ratios);
  if (!request.ratios.empty()) parsed("umf.ratios", [&] { return parse_ratios(request.ratios); });
  request.use_cache = umf.flag("cache").value_or(request.use_cache);
  request.closed_text = umf.flag("closed_text").value_or(request.closed_text);
  if (const Json* never = umf.find("stop_at_reward"); never != nullptr && *never == "never")
    request.stop_at_reward.reset();
  else if (const auto reward = umf.number("stop_at_reward", -1e300, 1e300))
    request.stop_at_reward = reward;
  if (const Json* options = umf.find("options")) {
    const RequestFields checked(*options, "umf.options");
    if (options->size() > kOptions) throw bad_request("umf.options", "has too many fields");
    for (const auto& [key, value] : options->items())
      request.option_values.emplace_back(key, value);
  }
}

// Which fields belong to which kind of request: a field that would do nothing is a mistake.
void check_kind(const RequestFields& umf, bool searches) {
  const auto forbid = [&](std::initializer_list<const char*> keys, const char* message) {
    for (const char* key : keys) {
      if (umf.has(key)) umf.refuse(key, message);
    }
  };
  if (searches)
    forbid({"schedule", "steps", "per_step", "threshold", "stop_at_end"},
           "is for plain decodings, not for a search");
  else
    forbid({"models", "budget", "budget_policy", "budget_unit", "ratios", "cache", "closed_text",
            "stop_at_reward", "options", "reward", "tests"},
           "is for searches; set 'umf.search'");
}

}  // namespace

UmfRequest parse_umf(const Json& object, const RequestLimits& limits,
                     const ServedConfiguration* configuration, const Judged& judged) {
  const RequestFields umf(object, "umf");
  UmfRequest request = begun(umf, configuration, judged);
  request.reward = request.operators_reward ? configuration->reward : parse_reward(umf);
  request.block_length = static_cast<int>(
      umf.integer("block_length", 1, limits.max_tokens).value_or(request.block_length));
  request.stream_state = umf.flag("stream_state").value_or(false);
  request.stream_rollouts = umf.flag("stream_rollouts").value_or(false);
  parse_decode(umf, limits.max_tokens, request.decode);
  request.decode.block_length = request.block_length;
  parse_search(umf, limits, request);
  umf.finish();
  check_kind(umf, !request.search.empty());
  return request;
}

}  // namespace umf
