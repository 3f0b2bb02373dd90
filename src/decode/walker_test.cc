#include "decode/walker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <set>
#include <stdexcept>

#include "decode/decoder.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
constexpr int kNoLimit = INT_MAX;

// Two models of different vocabularies and a few actions on them.
struct Duo {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada = hashing_model(llada_lexicon(), 2);
  std::vector<Action> actions = {{.model = 0, .strategy = Strategy::kEntropy},
                                 {.model = 1},
                                 {.model = 0, .temperature = 1, .seed = 5},
                                 {.model = 1, .strategy = Strategy::kOrigin, .seed = 6},
                                 {.model = 0, .strategy = Strategy::kRandom, .seed = 7}};

  NumberedWalks walker(const WalkOptions& options) {
    return NumberedWalks({{&dream, dream_lexicon().tokenizer, {1, 2, 3}},
                          {&llada, llada_lexicon().tokenizer, {4, 5}}},
                         actions, options);
  }
};

// The states of a path with their cells, so that walkers with different numbering can be compared.
std::vector<WindowState> states_of(const NumberedWalks& walker, const Outcome& outcome) {
  std::vector<WindowState> states;
  for (const Place& place : outcome.path) states.push_back(walker.states.at(place.state));
  return states;
}

int masks_of(const NumberedWalks& walker, const WindowState& state) {
  return static_cast<int>(
      std::ranges::count(state.cells, walker.states.lexicon_of(state).tokens.mask));
}

// Every trial from the states found within two levels, level by level.
std::vector<Trial> trials_below_root(NumberedWalks& walker) {
  std::vector<Trial> trials;
  std::vector<StateId> level = {0};
  for (int depth = 0; depth < 3; ++depth) {
    std::vector<StateId> next;
    for (const StateId from : level) {
      for (int action = 0; action < walker.actions(); ++action) {
        trials.push_back({from, action});
        next.push_back(walker.walk(trials.back(), kNoLimit).path.front().state);
      }
    }
    level = next;
  }
  return trials;
}

// The actions that lead from the root to the state where `trial` starts: trial i has its children
// at actions * (i + 1) and following.
std::vector<int> actions_to(const NumberedWalks& walker, const std::vector<Trial>& trials,
                            const Trial& trial) {
  std::vector<int> actions;
  auto at = std::find(trials.begin(), trials.end(), trial) - trials.begin();
  while (at >= walker.actions()) {
    at = at / walker.actions() - 1;
    actions.insert(actions.begin(), trials[at].action);
  }
  return actions;
}

TEST(Walker, AtTheRootActionZeroIsPlainDecodingTokenForToken) {
  for (const Strategy strategy : {Strategy::kEntropy, Strategy::kLowConfidence, Strategy::kMargin,
                                  Strategy::kRandom, Strategy::kOrigin}) {
    for (const int block : {0, 4}) {
      Duo duo;
      duo.actions[0] = {.strategy = strategy, .temperature = 0.5f, .eos_penalty = 1, .seed = 3};
      NumberedWalks walker = duo.walker({.window = 24, .ratios = kRatios, .block_length = block});
      const Outcome outcome = walker.walk({0, 0}, kNoLimit);
      const Decoding plain =
          decode(duo.dream, std::vector<Token>{1, 2, 3}, duo.actions[0],
                 {.length = 24, .block_length = block}, [](const auto&, auto) { return true; });
      EXPECT_EQ(walker.states.at(outcome.path.back().state).cells, plain.window);
      EXPECT_EQ(outcome.passes, plain.passes);
      EXPECT_TRUE(outcome.complete);
    }
  }
}

TEST(Walker, AWalkCostsTheMasksOfItsStartAndStopsAtEveryCheckpoint) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 20, .ratios = kRatios});
  const std::vector<int> targets = {18, 16, 14, 12, 10, 8, 4};
  EXPECT_EQ(walker.states.setup().targets(), targets);
  for (const Trial& trial : trials_below_root(walker)) {
    if (duo.actions[trial.action].strategy == Strategy::kOrigin) continue;
    const int before = duo.dream.forward_passes() + duo.llada.forward_passes();
    const Outcome outcome = walker.walk(trial, kNoLimit);
    const int masks = trial.from == 0 ? 20 : masks_of(walker, walker.states.at(trial.from));
    EXPECT_EQ(outcome.passes, masks);
    EXPECT_EQ(duo.dream.forward_passes() + duo.llada.forward_passes() - before, masks);
    std::vector<int> expected(
        std::upper_bound(targets.begin(), targets.end(), masks, std::greater<>()), targets.end());
    expected.push_back(0);
    std::vector<int> seen;
    for (const Place& place : outcome.path) seen.push_back(place.masks);
    if (masks < 20)
      expected.erase(std::remove(expected.begin(), expected.end(), masks), expected.end());
    EXPECT_EQ(seen, expected);
  }
}

TEST(Walker, MasksFallAlongEveryPathAndCommittedCellsStay) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 16, .ratios = kRatios});
  for (const Trial& trial : trials_below_root(walker)) {
    const std::vector<WindowState> states = states_of(walker, walker.walk(trial, kNoLimit));
    for (std::size_t i = 1; i < states.size(); ++i) {
      EXPECT_LT(masks_of(walker, states[i]), masks_of(walker, states[i - 1]));
      ASSERT_EQ(states[i].cells.size(), states[i - 1].cells.size());
      for (std::size_t cell = 0; cell < states[i].cells.size(); ++cell) {
        const Token before = states[i - 1].cells[cell];
        const Token mask = (states[i].lexicon == 0 ? dream_lexicon() : llada_lexicon()).tokens.mask;
        EXPECT_TRUE(before == mask || states[i].cells[cell] == before);
      }
    }
  }
}

TEST(Walker, StayingWithTheActionAtACheckpointRepeatsTheRestOfTheWalk) {
  for (const int block : {0, 4}) {
    Duo duo;
    NumberedWalks walker = duo.walker({.window = 16, .ratios = kRatios, .block_length = block});
    for (const Trial& trial : trials_below_root(walker)) {
      for (const std::uint64_t draw : {0, 3}) {
        const Outcome whole = walker.walk({trial.from, trial.action, draw}, kNoLimit);
        for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
          const Outcome rest = walker.walk({whole.path[i].state, trial.action, draw}, kNoLimit);
          EXPECT_EQ(rest.path, std::vector(whole.path.begin() + i + 1, whole.path.end()));
        }
      }
    }
  }
}

TEST(Walker, ALimitGivesAPrefixOfTheWalk) {
  for (const int block : {0, 4}) {
    Duo duo;
    NumberedWalks walker = duo.walker({.window = 16, .ratios = kRatios, .block_length = block});
    for (int action = 0; action < walker.actions(); ++action) {
      std::vector<std::vector<Token>> windows;
      const Outcome whole = walker.walk({0, action}, kNoLimit, [&](const Pass& pass) {
        windows.emplace_back(pass.window.begin(), pass.window.end());
        return true;
      });
      for (int limit = 0; limit <= whole.passes + 1; ++limit) {
        const Outcome cut = walker.walk({0, action}, limit);
        EXPECT_EQ(cut.passes, std::min(limit, whole.passes));
        EXPECT_EQ(cut.complete, limit >= whole.passes);
        EXPECT_TRUE(std::equal(cut.path.begin(), cut.path.end() - 1, whole.path.begin()));
        if (cut.passes > 0) {
          EXPECT_EQ(walker.states.at(cut.path.back().state).cells, windows[cut.passes - 1]);
        } else {
          EXPECT_EQ(cut.path, std::vector{walker.states.setup().root()});
        }
        // What was cut can be taken up again, also inside a block.
        EXPECT_EQ(walker.walk({cut.path.back().state, action}, kNoLimit).path.back(),
                  whole.path.back());
      }
    }
  }
}

TEST(Walker, AnObserverCanStopAWalkAsALimitWould) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 8, .ratios = kRatios});
  int passes = 0;
  const Outcome stopped = walker.walk({0, 0}, kNoLimit, [&](const Pass&) { return ++passes < 3; });
  EXPECT_EQ(stopped.path, walker.walk({0, 0}, 3).path);
  EXPECT_FALSE(stopped.complete);
}

TEST(Walker, WalksDoNotDependOnTheirOrderOrOnOtherWalks) {
  Duo duo, other;
  const WalkOptions options{.window = 12, .ratios = kRatios};
  NumberedWalks walker = duo.walker(options);
  const std::vector<Trial> trials = trials_below_root(walker);
  // Each child again in a walker that has seen its ancestors alone, the last child first.
  for (std::size_t i = trials.size(); i-- > 0;) {
    NumberedWalks fresh = other.walker(options);
    StateId at = 0;
    for (const int action : actions_to(walker, trials, trials[i])) {
      at = fresh.walk({at, action}, kNoLimit).path.front().state;
    }
    EXPECT_EQ(states_of(fresh, fresh.walk({at, trials[i].action}, kNoLimit)),
              states_of(walker, walker.walk(trials[i], kNoLimit)));
  }
}

TEST(Walker, ActionsThatDifferInTheirIndexAloneDrawDifferently) {
  Duo duo;
  duo.actions = {{.temperature = 2}, {.temperature = 2}};
  NumberedWalks walker = duo.walker({.window = 16, .ratios = kRatios});
  EXPECT_NE(walker.walk({0, 0}, kNoLimit).path, walker.walk({0, 1}, kNoLimit).path);
}

TEST(Walker, FreshDrawsDifferAndCanBeRepeated) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 16, .ratios = kRatios});
  for (const int action : {2, 3, 4}) {
    std::set<StateId> ends;
    for (std::uint64_t draw = 0; draw < 10; ++draw) {
      const Outcome outcome = walker.walk({0, action, draw}, kNoLimit);
      EXPECT_EQ(outcome.path, walker.walk({0, action, draw}, kNoLimit).path);
      ends.insert(outcome.path.back().state);
    }
    EXPECT_EQ(ends.size(), 10) << "action " << action;
  }
  EXPECT_EQ(walker.walk({0, 0, 1}, kNoLimit).path, walker.walk({0, 0}, kNoLimit).path)
      << "nothing to draw";
}

TEST(Walker, OneActionEndsWhereItEndedFromTheRoot) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 32, .ratios = kRatios});
  const Place end = walker.walk({0, 0}, kNoLimit).path.back();
  for (StateId at = 0; at != end.state;) {
    const Outcome outcome = walker.walk({at, 0}, kNoLimit);
    EXPECT_EQ(outcome.path.back(), end);
    at = outcome.path.front().state;
  }
}

TEST(Walker, ASwitchKeepsTheMasksAndTheTextAndCostsNoPass) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 24, .ratios = kRatios});
  for (const Place& place : walker.walk({0, 0}, kNoLimit).path) {
    const Outcome entered = walker.walk({place.state, 1}, 0);
    EXPECT_EQ(entered.passes, 0);
    EXPECT_EQ(entered.path.back().masks, place.masks);
    EXPECT_EQ(walker.text(entered.path.back().state), walker.text(place.state));
    EXPECT_EQ(walker.walk({place.state, 1}, kNoLimit).passes, place.masks);
  }
}

// docs/algorithm.md#six-swaps
TEST(Walker, Window768HasAtMostSixSwapsOnAPath) {
  Duo duo;
  duo.actions = {{.model = 0, .strategy = Strategy::kRandom},
                 {.model = 1, .strategy = Strategy::kRandom}};
  NumberedWalks walker = duo.walker({.window = 768, .ratios = kRatios});
  Place at = walker.states.setup().root();
  std::vector<int> levels, lexicons;
  for (const int target : walker.states.setup().targets()) {  // a node at the last one is a leaf
    const Outcome outcome =
        walker.walk({at.state, static_cast<int>(levels.size()) % 2}, at.masks - target);
    ASSERT_EQ(outcome.path.size(), 1);
    at = outcome.path.front();
    levels.push_back(at.masks);
    lexicons.push_back(walker.states.at(at.state).lexicon);
  }
  EXPECT_EQ(levels, (std::vector<int>{691, 614, 537, 460, 384, 307, 153}));
  EXPECT_EQ(lexicons, (std::vector<int>{0, 1, 0, 1, 0, 1, 0}))
      << "six swaps, one at each but the first";
}

// docs/algorithm.md#whole-blocks
TEST(Walker, BlocksAreFinishedOneByOneFromTheLeft) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 20, .ratios = kRatios, .block_length = 4});
  EXPECT_EQ(walker.states.setup().targets(), (std::vector<int>{16, 12, 8, 4}));
  for (const Trial& trial : trials_below_root(walker)) {
    for (const Place& place : walker.walk(trial, kNoLimit).path) {
      EXPECT_EQ(place.masks % 4, 0);
      const WindowState state = walker.states.at(place.state);
      const Token mask = (state.lexicon == 0 ? dream_lexicon() : llada_lexicon()).tokens.mask;
      const auto first = std::find(state.cells.begin(), state.cells.end(), mask);
      EXPECT_EQ(state.cells.end() - first, place.masks) << "something right of a mask is committed";
    }
  }
}

// docs/algorithm.md#one-block
TEST(Walker, ABlockAsLongAsTheWindowIsThePlainSearch) {
  Duo duo;
  NumberedWalks plain = duo.walker({.window = 16, .ratios = kRatios});
  NumberedWalks block = duo.walker({.window = 16, .ratios = kRatios, .block_length = 16});
  for (const Trial& trial : trials_below_root(plain)) {
    EXPECT_EQ(block.walk(trial, kNoLimit).path, plain.walk(trial, kNoLimit).path);
  }
}

TEST(Walker, AModelWithAttentionBlocksIsAskedForOneOfThemAtATime) {
  ModelInfo info = hashing_model(sdc_lexicon(), 1, /*block=*/4).info();
  std::vector<int> asked;
  ScriptedModel model(info, [&](std::span<const Token> tokens, int position) {
    asked.push_back(position);
    const int first = static_cast<int>(std::find(tokens.begin(), tokens.end(), info.tokens.mask) -
                                       tokens.begin());
    EXPECT_EQ(position / 4, first / 4) << "an earlier block is unfinished";
    return std::vector<float>(info.vocabulary, 1.0f);
  });
  for (const int block : {0, 4, 8}) {
    for (const int prompt : {4, 5, 7}) {
      NumberedWalks walker({{&model, sdc_lexicon().tokenizer, std::vector<Token>(prompt, 40)}},
                           {{}}, {.window = 16, .ratios = kRatios, .block_length = block});
      EXPECT_EQ(walker.walk({0, 0}, kNoLimit).passes, 16);
    }
  }
}

TEST(Walker, TheActiveMasksAreTheFirstOnesAndThoseThatTheModelIsAskedFor) {
  const ModelInfo with_blocks = hashing_model(sdc_lexicon(), 1, /*block=*/4).info();
  const ModelInfo without = hashing_model(sdc_lexicon(), 1).info();
  const Token mask = without.tokens.mask;
  std::vector<int> asked;  // positions, in one pass
  for (const auto& [info, block_length] :
       {std::pair{with_blocks, 0}, {with_blocks, 2}, {with_blocks, 8}, {without, 4}}) {
    ScriptedModel model(info, [&](std::span<const Token> tokens, int position) {
      asked.push_back(position);
      std::vector<float> logits(info.vocabulary, 1.0f);
      // Not from the left, so that masks have gaps.
      logits[40] = static_cast<float>(tokens.size() + 5 * position % 7);
      return logits;
    });
    for (const int prompt : {4, 5, 7}) {
      NumberedWalks walker({{&model, sdc_lexicon().tokenizer, std::vector<Token>(prompt, 40)}},
                           {{}}, {.window = 16, .ratios = kRatios, .block_length = block_length});
      std::vector<Token> window(16, mask);
      walker.walk({0, 0}, kNoLimit, [&](const Pass& pass) {
        std::vector<int> active;
        for (int cell = 0;
             std::cmp_less(active.size(), *walker.states.setup().active_masks(window, 0, 0));
             ++cell)
          if (window.at(cell) == mask) active.push_back(prompt + cell);
        EXPECT_EQ(asked, active) << "block length " << block_length << ", prompt " << prompt;
        asked.clear();
        window.assign(pass.window.begin(), pass.window.end());
        return true;
      });
      EXPECT_EQ(walker.states.setup().active_masks(window, 0, 0), 0) << "all is filled";
    }
  }
}

TEST(Walker, AGrowingWindowEndsWithWhatIsAskedForOrWritten) {
  ModelInfo info = hashing_model(sdc_lexicon(), 1).info();
  std::vector<std::size_t> lengths;
  ScriptedModel model(info, [&](std::span<const Token> tokens, int) {
    lengths.push_back(tokens.size());
    return std::vector<float>(info.vocabulary, 1.0f);
  });
  NumberedWalks walker({{&model, sdc_lexicon().tokenizer, {40, 40, 40}}},
                       {{.block = 4, .grow = true}}, {.window = 12, .ratios = kRatios});
  const auto length_from = [&](std::vector<Token> cells) {
    lengths.clear();
    walker.walker.walk({}, {0, std::move(cells)}, /*limit=*/1);
    return lengths.front();
  };
  std::vector<Token> cells(12, info.tokens.mask);
  EXPECT_EQ(length_from(cells), 3 + 4);
  cells[3] = 41;
  EXPECT_EQ(length_from(cells), 3 + 4) << "the last cell of the block is written";
  cells[9] = 41;
  EXPECT_EQ(length_from(cells), 3 + 10) << "another action wrote behind the block";
  cells[0] = cells[1] = cells[2] = 41;
  EXPECT_EQ(length_from(cells), 3 + 10);
  cells[9] = info.tokens.mask;
  EXPECT_EQ(length_from(cells), 3 + 8);
}

TEST(Walker, OriginSpendsAtMostItsMasksAndCarriesItsSteps) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 32, .ratios = kRatios});
  bool carried = false, jumped = false;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const Outcome outcome = walker.walk({0, 3, draw}, kNoLimit);
    EXPECT_TRUE(outcome.complete);
    EXPECT_LE(outcome.passes, 32);
    EXPECT_EQ(walker.states.at(outcome.path.back().state).steps_left, 0);
    for (const Place& place : outcome.path) {
      carried = carried || walker.states.at(place.state).steps_left > 0;
    }
    jumped = jumped || outcome.path.size() <= walker.states.setup().targets().size();
    const Place& middle = outcome.path[outcome.path.size() / 2];
    EXPECT_EQ(walker.walk({middle.state, 1}, kNoLimit).passes, middle.masks)
        << "another action ignores them";
  }
  EXPECT_TRUE(carried);
  EXPECT_TRUE(jumped) << "no draw committed several cells at a checkpoint";
}

TEST(Walker, OriginTossesNewCoinsAfterAPassThatCommitsNothing) {
  ScriptedModel model = hashing_model(dream_lexicon(), 1);
  const std::vector<Token> window(64, dream_lexicon().tokens.mask);
  const auto commits = [&](int steps_left) {
    const StepRule rule{.end = 64, .share = 0.5f, .steps_left = steps_left};
    return denoise(model, {}, window, {.strategy = Strategy::kOrigin}, 0, rule);
  };
  EXPECT_EQ(commits(9), commits(9));
  EXPECT_NE(commits(9), commits(8));
}

TEST(Walker, AFixedWindowKeepsItsLengthOrIsInfeasible) {
  Duo duo;
  NumberedWalks walker =
      duo.walker({.window = 24, .ratios = kRatios, .policy = WindowPolicy::kFixedWindow});
  int infeasible = 0;
  for (std::uint64_t draw = 0; draw < 30; ++draw) {
    for (const Place& place : walker.walk({0, 2, draw}, kNoLimit).path) {
      for (const int action : {1, 4}) {
        const int states = walker.states.size();
        const Outcome outcome = walker.walk({place.state, action}, kNoLimit);
        if (outcome.feasible) {
          for (const WindowState& state : states_of(walker, outcome))
            EXPECT_EQ(state.cells.size(), 24);
          continue;
        }
        ++infeasible;
        EXPECT_EQ(outcome.passes, 0);
        EXPECT_TRUE(outcome.path.empty());
        EXPECT_EQ(walker.states.size(), states);
      }
    }
  }
  EXPECT_GT(infeasible, 0);
}

TEST(Walker, AModelWhoseContextIsTooShortIsInfeasible) {
  ScriptedModel wide = hashing_model(dream_lexicon(), 1);
  ScriptedModel narrow = hashing_model(llada_lexicon(), 2, 0, /*max_length=*/17);
  NumberedWalks walker(
      {{&wide, dream_lexicon().tokenizer, {1}}, {&narrow, llada_lexicon().tokenizer, {1, 2}}},
      {{.model = 0}, {.model = 1}}, {.window = 16, .ratios = kRatios});
  EXPECT_TRUE(walker.walk({0, 0}, kNoLimit).feasible);
  EXPECT_FALSE(walker.walk({0, 1}, kNoLimit).feasible);
  EXPECT_EQ(narrow.forward_passes(), 0);
}

TEST(Walker, AnEndIsAnEndForEveryAction) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = 8, .ratios = kRatios});
  const Place end = walker.walk({0, 0}, kNoLimit).path.back();
  for (int action = 0; action < walker.actions(); ++action) {
    const Outcome outcome = walker.walk({end.state, action}, kNoLimit);
    EXPECT_EQ(outcome.path, std::vector{end});
    EXPECT_EQ(outcome.passes, 0);
    EXPECT_TRUE(outcome.complete);
  }
}

TEST(Walker, AFailedPassLeavesNoStates) {
  int passes = 0;
  ScriptedModel model(hashing_model(dream_lexicon(), 1).info(), [&](auto, int) {
    if (++passes > 100) throw std::runtime_error("out of memory");
    return std::vector<float>(dream_lexicon().tokenizer->size(), 1.0f);
  });
  NumberedWalks walker({{&model, dream_lexicon().tokenizer, {1}}}, {{}},
                       {.window = 16, .ratios = kRatios});
  EXPECT_THROW(walker.walk({0, 0}, kNoLimit), std::runtime_error);
  EXPECT_EQ(walker.states.size(), 1);
}

// Writes "a" everywhere but an end of text in cell 2, in the order of `order`.
struct Dictated {
  std::vector<int> order;
  Token a = dream_lexicon().tokenizer->encode_bytes("a")[0];
  ScriptedModel model{hashing_model(dream_lexicon(), 1).info(), [this](auto, int position) {
                        std::vector<float> logits(dream_lexicon().tokenizer->size(), 0.0f);
                        const auto rank =
                            std::find(order.begin(), order.end(), position) - order.begin();
                        logits[position == 2 ? dream_lexicon().tokens.end_of_text : a] =
                            20.0f - static_cast<float>(rank);
                        return logits;
                      }};
};

TEST(Walker, TextIsClosedOnceNothingIsMaskedBeforeItsEnd) {
  Dictated dictated{{2, 3, 1, 0}};
  NumberedWalks walker({{&dictated.model, dream_lexicon().tokenizer, {}}}, {{}}, {.window = 4});
  const std::vector<std::pair<std::string, bool>> expected = {
      {"", false}, {"", false}, {"", false}, {"a", false}, {"aa", true}};
  for (int limit = 0; limit <= 4; ++limit) {
    const StateId state = walker.walk({0, 0}, limit).path.back().state;
    EXPECT_EQ(walker.text(state), expected[limit].first) << limit;
    EXPECT_EQ(walker.closed(state), expected[limit].second) << limit;
  }
  Dictated early{{0, 1, 2, 3}};
  NumberedWalks other({{&early.model, dream_lexicon().tokenizer, {}}}, {{}}, {.window = 4});
  EXPECT_FALSE(other.closed(other.walk({0, 0}, 2).path.back().state));
  EXPECT_TRUE(other.closed(other.walk({0, 0}, 3).path.back().state))
      << "the mask stands behind the end";
}

TEST(Walker, AClosedTextIsTheTextOfEveryEndBelowIt) {
  Duo duo{.dream = hashing_model(dream_lexicon(), 1, 0, 4096, /*any_special=*/true)};
  NumberedWalks walker = duo.walker({.window = 16, .ratios = kRatios});
  int closed = 0;
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    for (const Place& place : walker.walk({0, 2, draw}, kNoLimit).path) {
      if (!walker.closed(place.state)) continue;
      ++closed;
      for (int action = 0; action < 2; ++action) {
        const Outcome outcome = walker.walk({place.state, action}, kNoLimit);
        EXPECT_EQ(walker.text(outcome.path.back().state), walker.text(place.state));
      }
    }
  }
  EXPECT_GT(closed, 200) << "no text was closed before the end";
}

TEST(Walker, ATextThatAnotherTokenizerWouldCutIsNotClosed) {
  const Token bos = tiny_tokens(TinyFamily::kDream).bos;  // LLaDA's lexicon has padding for it
  ScriptedModel model(hashing_model(dream_lexicon(), 1).info(), [&](auto, int position) {
    std::vector<float> logits(dream_lexicon().tokenizer->size(), 0.0f);
    logits[position == 0 ? bos : dream_lexicon().tokens.end_of_text] =
        20.0f - static_cast<float>(position);
    return logits;
  });
  ScriptedModel llada = hashing_model(llada_lexicon(), 1);
  const Participant first{&model, dream_lexicon().tokenizer, {}};
  const Participant second{&llada, llada_lexicon().tokenizer, {}};
  NumberedWalks alone({first}, {{}}, {.window = 4}), together({first, second}, {{}}, {.window = 4});
  EXPECT_TRUE(alone.closed(alone.walk({0, 0}, 2).path.back().state));
  EXPECT_FALSE(together.closed(together.walk({0, 0}, 2).path.back().state));
  EXPECT_TRUE(together.closed(together.walk({0, 0}, kNoLimit).path.back().state));
}

}  // namespace
}  // namespace umf
