#include "session/trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "decode/authors.h"
#include "session/solution_json.h"
#include "session/window_json.h"

namespace umf {
namespace {

// Words of judges are for people, and there may be a thousand tests: enough to see what is wrong.
constexpr std::size_t kWordBytes = 400;
constexpr int kFailuresTold = 20;

OrderedJson word(const std::string& text) { return to_valid_utf8(text.substr(0, kWordBytes)); }

// What a rollout wrote, with passes where they are not simply 1, 2, 3...
OrderedJson writes_json(const std::vector<Write>& writes, const WalkSetup& setup) {
  OrderedJson cells = OrderedJson::array(), texts = OrderedJson::array(),
              passes = OrderedJson::array();
  bool one_by_one = true;
  for (const Write& write : writes) {
    cells.push_back(write.cell);
    texts.push_back(cell_json(setup.lexicons()[write.lexicon], write.token));
    passes.push_back(write.pass);
    one_by_one = one_by_one && std::cmp_equal(write.pass, passes.size());
  }
  OrderedJson json = {{"cells", cells}, {"texts", texts}};
  if (!one_by_one) json["passes"] = passes;
  return json;
}

// Of several models: who made each write, and the window before those that are in other ids than
// the one before, [how many writes before, window].
void add_writers(OrderedJson& json, const States& states, const Trial& trial,
                 const Outcome& outcome) {
  const WalkSetup& setup = states.setup();
  OrderedJson by = OrderedJson::array(), windows = OrderedJson::array();
  for (Replay replay(states, trial, outcome); !replay.done(); replay.write()) {
    if (replay.changes_ids()) {
      replay.change_ids();
      windows.push_back(
          {by.size(), window_json(setup.lexicon_of(replay.window()), replay.window().cells)});
    }
    by.push_back(setup.author(trial.action, replay.next().model));
  }
  json["by"] = by;
  if (!windows.empty()) json["windows"] = windows;
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
      if (before[cell] != cells[cell])
        writes.push_back(
            {1, cell, cells[cell], states.setup().actions()[trial.action].model, state.lexicon});
    }
    before = cells;
  }
  return writes;
}

}  // namespace

// How a state came about that is a text opened again.
OrderedJson TraceWriter::opened_json(const Opened& opened) {
  const Opening& opening = opened.opening;
  OrderedJson json = {
      {"end", opened.end}, {"kind", name_of(opening.kind)}, {"cells", opening.cells}};
  if (opening.inserted > 0) json["insert"] = {opening.insert_at, opening.inserted};
  return json;
}

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
  if (const auto known = opened_.find(trial.from); known != opened_.end())
    json["opened"] = opened_json(known->second);
  if (outcome.cached) return json;
  for (const Opening& opening : outcome.openings)
    opened_.try_emplace(opening.place.state, Opened{outcome.path.back().state, opening});
  const std::vector<Write> writes =
      outcome.writes.empty() ? differences(states_, trial, outcome) : outcome.writes;
  const std::optional<WindowState> start = states_.enter(trial);
  if (trial.from != 0 && start && states_.at(trial.from).lexicon != start->lexicon)
    json["window"] = window_json(states_.lexicon_of(*start), start->cells);
  json["writes"] = writes_json(writes, states_.setup());
  if (!states_.setup().actions()[trial.action].others.empty())
    add_writers(json["writes"], states_, trial, outcome);
  if (verdict != nullptr && judged_.insert(outcome.path.back().state).second)
    json["verdict"] = verdict_json(*verdict);
  return json;
}

std::string trace_line(const OrderedJson& event) {
  return event.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace umf
