#include "c_api/search_calls.h"

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "session/search_request.h"
#include "setup/option_file.h"
#include "setup/solve_setup.h"

namespace umf {
namespace {

StateId state_of(const Json& value, const std::string& where) {
  if (!value.is_number_integer()) throw Error(where + ": a state is a whole number");
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > std::numeric_limits<StateId>::max())
    throw Error(fmt::format("{}: a state is a number from 0 to {}, not {}", where,
                            std::numeric_limits<StateId>::max(), number));
  return static_cast<StateId>(number);
}

}  // namespace

std::unique_ptr<AskTell> open_search(const Json& options) {
  const std::string where = "umf_search_open";
  AskTellOptions made;
  std::string policy = "finish", stop_at_reward = "never";
  int budget = 0;
  bool no_cache = false;
  parse_options(where, words_of(options, where), [&](OptionSet& set) {
    set.value("actions", made.actions, "");
    set.value("steps", made.steps, "");
    set.value("search", made.search, "");
    set.value("seed", made.seed, "");
    set.value("budget", budget, "");
    set.value("budget-policy", policy, "");
    set.value("stop-at-reward", stop_at_reward, "");
    set.flag("no-cache", no_cache, "");
    declare_search_options(set, made.options);
  });
  if (budget < 0)
    throw Error(fmt::format("{}: budget must not be negative, not {}", where, budget));
  made.solve = {.budget = budget == 0 ? kNoBudget : budget,
                .policy = parse_budget_policy(policy),
                .use_cache = !no_cache,
                .stop_at_reward = parse_stop_at_reward(stop_at_reward)};
  return std::make_unique<AskTell>(made);
}

OrderedJson ask(AskTell& search, int at_most) {
  OrderedJson list = OrderedJson::array();
  for (const AskTell::Asked& asked : search.ask(at_most)) {
    list.push_back({{"from", asked.trial.from},
                    {"action", asked.trial.action},
                    {"draw", asked.trial.draw},
                    {"steps", asked.steps},
                    {"limit", asked.limit},
                    {"certain", asked.certain}});
  }
  return list;
}

void tell(AskTell& search, const Json& outcome) {
  const std::string where = "umf_search_tell";
  const JsonFields fields(outcome, where);
  fields.only({"from", "action", "draw", "states", "reward", "why"},
              "an outcome has from, action, draw, states, reward and why");
  for (const char* key : {"from", "action", "draw", "states"}) {
    if (!outcome.contains(key)) throw Error(fmt::format("{}: there is no '{}'", where, key));
  }
  if (!outcome["action"].is_number_integer() || !outcome["draw"].is_number_unsigned())
    throw Error(where + ": 'action' and 'draw' are whole numbers");
  if (!outcome["states"].is_array()) throw Error(where + ": 'states' is a list of numbers");
  const Trial trial{.from = state_of(outcome["from"], where),
                    .action = outcome["action"].get<int>(),
                    .draw = outcome["draw"].get<std::uint64_t>()};
  std::vector<StateId> states;
  for (const Json& state : outcome["states"]) states.push_back(state_of(state, where));
  Verdict verdict{.reward = std::numeric_limits<double>::quiet_NaN(),
                  .why = fields.text("why").value_or("")};
  if (const auto reward = outcome.find("reward"); reward != outcome.end() && !reward->is_null()) {
    if (!reward->is_number()) throw Error(where + ": 'reward' is a number or null");
    verdict.reward = reward->get<double>();
  }
  search.tell(trial, states, std::move(verdict));
}

OrderedJson found(const AskTell& search) {
  const bool ended = search.ended();
  const Solution solution = search.solution();
  const Ledger& ledger = solution.ledger;
  OrderedJson json = {{"ended", ended},
                      {"stopped", ended ? OrderedJson(name_of(solution.stopped)) : OrderedJson()},
                      {"reward", nullptr},
                      {"why", ""},
                      {"best", nullptr},
                      {"nfe", ledger.nfe},
                      {"rollouts", ledger.rollouts()},
                      {"hits", ledger.hits},
                      {"misses", ledger.misses}};
  if (const auto& best = solution.best) {
    json["reward"] = finite(best->reward);
    json["why"] = best->why;
    json["best"] = {
        {"states", best->path}, {"actions", best->actions}, {"iteration", best->iteration}};
  }
  return json;
}

}  // namespace umf
