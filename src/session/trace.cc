#include "session/trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "session/solution_json.h"
#include "session/window_json.h"

namespace umf {
namespace {

// Words of judges are for people, and there may be a thousand tests: enough to see what is wrong.
constexpr std::size_t kWordBytes = 400;
constexpr int kFailuresTold = 20;

OrderedJson word(const std::string& text) { return to_valid_utf8(text.substr(0, kWordBytes)); }

// What a rollout wrote, with passes where they are not simply 1, 2, 3...
OrderedJson writes_json(const std::vector<Write>& writes, const Lexicon& lexicon) {
  OrderedJson cells = OrderedJson::array(), texts = OrderedJson::array(),
              passes = OrderedJson::array();
  bool one_by_one = true;
  for (const Write& write : writes) {
    cells.push_back(write.cell);
    texts.push_back(cell_json(lexicon, write.token));
    passes.push_back(write.pass);
    one_by_one = one_by_one && std::cmp_equal(write.pass, passes.size());
  }
  OrderedJson json = {{"cells", cells}, {"texts", texts}};
  if (!one_by_one) json["passes"] = passes;
  return json;
}

// The writes of a rollout that notes none: it makes all of them in one pass (TReASURe).
std::vector<Write> differences(const States& states, const Trial& trial, const Outcome& outcome) {
  std::vector<Write> writes;
  std::vector<Token> before;
  for (const Place& place : outcome.path) {
    const WindowState state = states.at(place.state);
    const std::vector<Token>& cells = state.cells;
    if (before.empty())
      before = trial.from == 0
                   ? std::vector<Token>(cells.size(), states.lexicon_of(state).tokens.mask)
                   : states.at(trial.from).cells;
    for (int cell = 0; std::cmp_less(cell, cells.size()); ++cell) {
      if (before[cell] != cells[cell]) writes.push_back({1, cell, cells[cell]});
    }
    before = cells;
  }
  return writes;
}

// The window as the rollout found it: its end without what it wrote.
WindowState entered(const States& states, const Outcome& outcome,
                    const std::vector<Write>& writes) {
  WindowState window = states.at(outcome.path.back().state);
  for (const Write& write : writes)
    window.cells[write.cell] = states.lexicon_of(window).tokens.mask;
  return window;
}

}  // namespace

OrderedJson TraceWriter::verdict_json(const Verdict& verdict) {
  OrderedJson json = {{"why", word(verdict.why)}};
  if (verdict.tests.empty()) return json;
  std::vector<std::string> names;
  std::string outcomes;
  OrderedJson failures = OrderedJson::object();
  for (const TestVerdict& test : verdict.tests) {
    if (!test.why.empty() && std::cmp_less(failures.size(), kFailuresTold))
      failures[std::to_string(names.size())] = word(test.why);
    names.push_back(word(test.name));
    outcomes += name_of(test.outcome)[0];
  }
  if (names != test_names_) json["names"] = test_names_ = names;
  json["outcomes"] = outcomes;
  if (!failures.empty()) json["failures"] = failures;
  return json;
}

OrderedJson TraceWriter::event(const RolloutEvent& event) {
  const auto& [trial, outcome, ledger, best, lineage, verdict] = event;
  OrderedJson path = OrderedJson::array(), masks = OrderedJson::array();
  for (const Place& place : outcome.path) {
    path.push_back(place.state);
    masks.push_back(place.masks);
  }
  OrderedJson json = {{"iteration", ledger.rollouts()},
                      {"from", trial.from},
                      {"action", trial.action},
                      {"draw", trial.draw},
                      {"hit", outcome.cached},
                      {"child", outcome.path.front().state},
                      {"end", outcome.path.back().state},
                      {"passes", outcome.passes},
                      {"nfe", ledger.nfe},
                      {"complete", outcome.complete},
                      {"reward", finite(outcome.reward)},
                      {"best", best ? finite(best->reward) : OrderedJson(nullptr)},
                      {"path", path},
                      {"masks", masks}};
  if (outcome.cached) return json;
  const std::vector<Write> writes =
      outcome.writes.empty() ? differences(states_, trial, outcome) : outcome.writes;
  const WindowState start = entered(states_, outcome, writes);
  const Lexicon& lexicon = states_.lexicon_of(start);
  if (trial.from != 0 && states_.at(trial.from).lexicon != start.lexicon)
    json["window"] = window_json(lexicon, start.cells);
  json["writes"] = writes_json(writes, lexicon);
  if (verdict != nullptr && judged_.insert(outcome.path.back().state).second)
    json["verdict"] = verdict_json(*verdict);
  return json;
}

std::string trace_line(const OrderedJson& event) {
  return event.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace umf
