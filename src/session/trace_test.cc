#include "session/trace.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "decode/walk_testing.h"
#include "session/decoding_world.h"
#include "session/window_json.h"
#include "solve/searches.h"
#include "solve/treasure.h"

namespace umf {
namespace {

using Cells = std::vector<Json>;  // as the trace writes them, one by one

struct TwoTests final : Reward {
  Verdict judge(std::string_view answer) override {
    const bool is_long = answer.size() > 6;
    return {is_long ? 0.5 : 0.0,
            "first: no",
            {{"first", TestOutcome::kWrong, "no"},
             {"second", is_long ? TestOutcome::kPass : TestOutcome::kTimeout, ""}}};
  }
};

Cells window_cells(const Json& window) {
  Cells cells;
  for (const Json& entry : window) {
    if (!entry.is_number()) {
      cells.push_back(entry);
    } else {
      const int run = entry.get<int>();
      cells.insert(cells.end(), std::abs(run), run > 0 ? Json(0) : Json(nullptr));
    }
  }
  return cells;
}

// Replays a trace as whoever draws it does: the cells of every state that a line names.
class Replay {
 public:
  explicit Replay(int window) { states_[0] = Cells(window, Json(0)); }

  void add(const Json& line) {
    if (line["hit"]) return;
    Cells cells = line.contains("window") ? window_cells(line["window"]) : states_.at(line["from"]);
    std::size_t next = 0;
    const Json& writes = line["writes"];
    for (std::size_t i = 0; i < line["path"].size(); ++i) {
      const int masks = line["masks"][i];
      for (; count_masks(cells) > masks; ++next)
        cells.at(writes["cells"].at(next)) = writes["texts"].at(next);
      if (i + 1 == line["path"].size()) {
        for (; next < writes["cells"].size(); ++next)
          cells.at(writes["cells"][next]) = writes["texts"][next];
      }
      states_.try_emplace(line["path"][i], cells);
    }
  }
  const std::map<int, Cells>& states() const { return states_; }

 private:
  static int count_masks(const Cells& cells) {
    return static_cast<int>(std::ranges::count(cells, Json(0)));
  }
  std::map<int, Cells> states_;
};

struct Traced {
  std::vector<Json> lines;
  std::map<int, Cells> truth;  // what the states say
  int window = 0;
};

// Dream's and LLaDA's words, so that every switch is one of tokenizers.
Traced traced(const std::string& search, std::vector<Action> actions, long budget) {
  constexpr int kWindow = 24;
  ScriptedModel dream = hashing_model(dream_lexicon(), 1),
                llada = hashing_model(llada_lexicon(), 2);
  States states(
      {{{&dream, dream_lexicon().tokenizer, {1}}, {&llada, llada_lexicon().tokenizer, {1}}},
       std::move(actions),
       {.window = kWindow, .ratios = {750, 500, 250}}});
  TwoTests reward;
  DecodingWorld world(states, reward, {});
  TraceWriter tracer(states);
  Traced result{.window = kWindow};
  const Observer observer = [&](const RolloutEvent& event) {
    result.lines.push_back(Json::parse(trace_line(tracer.event(event))));
    for (const Place& place : event.outcome.path) {
      const WindowState state = states.at(place.state);
      result.truth[place.state] =
          window_cells(Json::parse(window_json(states.lexicon_of(state), state.cells).dump()));
    }
    return true;
  };
  if (search == "treasure") {
    treasure(world, 0, {.beam = 2, .children = 3}, {.budget = budget}, observer);
    return result;
  }
  RolloutCache known;
  const auto tree = make_search(
      search, {.root = world.root(), .actions = world.actions(), .seed = 3, .cache = &known});
  solve(*tree, world, known, {.budget = budget}, observer);
  return result;
}

void expect_every_state_from_the_trace_alone(const Traced& traced) {
  Replay replay(traced.window);
  for (const Json& line : traced.lines) replay.add(line);
  ASSERT_GT(traced.truth.size(), 5);
  for (const auto& [state, cells] : traced.truth)
    EXPECT_EQ(replay.states().at(state), cells) << "state " << state;
}

TEST(Trace, TellsEveryStateOfASearchAcrossTokenizers) {
  const Traced result = traced("unmaskfork", {{.model = 0}, {.model = 1}}, 300);
  const auto has = [&](const char* key) {
    return std::ranges::any_of(result.lines, [&](const Json& line) { return line.contains(key); });
  };
  EXPECT_TRUE(has("window"));
  EXPECT_TRUE(std::ranges::any_of(result.lines, [](const Json& line) { return line["hit"]; }));
  expect_every_state_from_the_trace_alone(result);
}

TEST(Trace, TellsEveryStateOfCellsThatComeSeveralAtOnce) {
  const Traced result =
      traced("unmaskfork", {{.model = 0, .strategy = Strategy::kOrigin}, {.model = 0}}, 200);
  EXPECT_TRUE(result.lines.front()["writes"].contains("passes"));
  expect_every_state_from_the_trace_alone(result);
}

TEST(Trace, TellsEveryStateOfATrajectoryThatRemasks) {
  const Traced result =
      traced("best-of-n", {{.model = 0, .temperature = 1, .remask = Remask::kConf}}, 400);
  bool masked_again = false;
  for (const Json& line : result.lines) {
    const Json& texts = line["writes"]["texts"];
    masked_again = masked_again || std::ranges::count(texts, Json(0)) > 0;
  }
  EXPECT_TRUE(masked_again);
  expect_every_state_from_the_trace_alone(result);
}

TEST(Trace, TellsEveryStateOfWalksThatMaskAgain) {
  expect_every_state_from_the_trace_alone(
      traced("unmaskfork", {{.model = 0, .remask = Remask::kP2}, {.model = 1}}, 300));
}

TEST(Trace, TellsEveryStateOfABeam) {
  expect_every_state_from_the_trace_alone(traced("treasure", {{.model = 0, .temperature = 1}}, 60));
}

TEST(Trace, AWriteIsAPassWhereNothingElseIsSaid) {
  const Traced result = traced("unmaskfork", {{.model = 0}, {.model = 1}}, 300);
  for (const Json& line : result.lines) {
    if (line["hit"]) continue;
    EXPECT_FALSE(line["writes"].contains("passes"));
    EXPECT_EQ(line["writes"]["cells"].size(), line["passes"]);
  }
}

TEST(Trace, TellsTheVerdictOfEachEndOnceAndTheNamesOfItsTestsOnce) {
  const Traced result = traced("unmaskfork", {{.model = 0}, {.model = 1}}, 300);
  std::map<int, int> verdicts;
  int names = 0;
  for (const Json& line : result.lines) {
    if (!line.contains("verdict")) continue;
    ++verdicts[line["end"]];
    names += line["verdict"].contains("names");
    const std::string outcomes = line["verdict"]["outcomes"];
    EXPECT_TRUE(outcomes == "wp" || outcomes == "wt") << outcomes;
    EXPECT_EQ(line["verdict"]["failures"], Json({{"0", "no"}}));
  }
  EXPECT_EQ(names, 1);
  for (const Json& line : result.lines) EXPECT_EQ(verdicts[line["end"]], 1);
}

TEST(WindowJson, KeepsPartsOfCharactersAsBytesAndRunsOfMasksAsNumbers) {
  const Lexicon& lexicon = dream_lexicon();
  const Token mask = lexicon.tokens.mask, end = lexicon.tokens.end_of_text;
  const std::vector<Token> half = single_byte_tokens(*lexicon.tokenizer, "\xc3");
  const std::vector<Token> cells = {mask, mask, half[0], mask, end, end, end};
  EXPECT_EQ(Json::parse(window_json(lexicon, cells).dump()), Json::parse("[2,[195],1,-3]"));
}

}  // namespace
}  // namespace umf
