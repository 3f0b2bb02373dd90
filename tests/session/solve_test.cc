// Searches through the decoder: the same trees as on tables, the same answers on every machine.
#include "solve/solve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <climits>

#include "decode/decoder.h"
#include "search/checkpoints.h"
#include "search/unmaskfork.h"
#include "session/decoding_world.h"
#include "solve/simulation.h"
#include "support/engine_fixture.h"
#include "support/golden.h"
#include "support/judged_walks.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));

// One rollout, with states as what they hold: their numbers may differ between runs.
struct Expansion {
  WindowState from, child, end;
  int action = 0;
  double reward = 0;
  bool operator==(const Expansion&) const = default;
};

struct Found {
  Solution solution;
  int nodes = 0, depth = 0;
  std::string answer, order;
  std::vector<Expansion> expansions;
};

Found search(States& states, Reward& reward, const SolveOptions& options) {
  Found found;
  RememberingReward remembering(reward, RememberingReward::Failures::kKept);
  DecodingWorld world(states, remembering, {});
  RolloutCache known;
  UnMaskFork tree(world.actions(), world.root(), {}, known);
  found.solution = solve(tree, world, known, options, [&](const RolloutEvent& event) {
    const std::vector<int> path = event.lineage.actions(event.trial.from);
    found.order += fmt::format(
        "{}{}{}>{}", found.order.empty() ? "" : " ", event.outcome.cached ? "" : "*",
        path.empty() ? "-" : fmt::format("{}", fmt::join(path, "")), event.trial.action);
    found.expansions.push_back(
        {states.at(event.trial.from), states.at(event.outcome.path.front().state),
         states.at(event.outcome.path.back().state), event.trial.action, event.outcome.reward});
    return true;
  });
  found.nodes = tree.nodes();
  found.depth = tree.depth();
  if (found.solution.best) found.answer = states.text(found.solution.best->end);
  return found;
}

// ---- the golden figures with models that sign what they write

// Wants its own letter everywhere, so that the leftmost mask is filled first.
class Scribe final : public Model {
 public:
  Scribe(const Lexicon& lexicon, char letter)
      : info_{.name = "scribe",
              .family = "test",
              .tokens = lexicon.tokens,
              .vocabulary = lexicon.tokenizer->size(),
              .max_length = 4096},
        token_(lexicon.tokenizer->encode_bytes(std::string(1, letter)).at(0)) {}
  const ModelInfo& info() const override { return info_; }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    std::vector<std::vector<Prediction>> answers;
    for (const Query& query : batch) {
      ++passes;
      answers.push_back(std::vector(query.positions.size(), Prediction{token_, 0.5f, 0.1f, 1.0f}));
    }
    return answers;
  }
  long passes = 0;

 private:
  ModelInfo info_;
  Token token_;
};

constexpr std::string_view kLetters = "xyz";

// The action at each level, read off a complete answer: levels are stretches from the left.
std::vector<int> levels_of(std::string_view answer) {
  constexpr int kMasks[] = {768, 691, 614, 537, 460, 384, 307, 153};
  std::vector<int> actions;
  for (const int masks : kMasks) {
    actions.push_back(static_cast<int>(kLetters.find(answer[768 - masks])));
  }
  return actions;
}

struct ScribeRun {
  ScribeRun(const std::vector<const Lexicon*>& lexicons, double (*rewards)(golden::Actions),
            int actions, long budget) {
    std::vector<Participant> participants;
    std::vector<Action> list;
    for (int i = 0; i < actions; ++i) {
      scribes.push_back(std::make_unique<Scribe>(*lexicons[i], kLetters[i]));
      participants.push_back({scribes.back().get(), lexicons[i]->tokenizer, {}});
      list.push_back({.model = i});
    }
    States states({participants, list, {.window = 768, .ratios = kRatios}});
    Judge judge([&](std::string_view answer) {
      return answer.size() == 768 ? rewards(levels_of(answer)) : 0.0;
    });
    found = search(states, judge, {.budget = budget});
  }
  long passes() const {
    long sum = 0;
    for (const auto& scribe : scribes) sum += scribe->passes;
    return sum;
  }
  std::vector<std::unique_ptr<Scribe>> scribes;
  Found found;
};

void expect_row(const golden::Row& row, const ScribeRun& run) {
  const Ledger& ledger = run.found.solution.ledger;
  EXPECT_EQ(ledger.misses, row.misses);
  EXPECT_EQ(ledger.hits, row.hits);
  EXPECT_EQ(ledger.saved_full, row.saved_full);
  EXPECT_EQ(ledger.saved_capped, row.saved_capped);
  EXPECT_EQ(ledger.switches, row.switches);
  EXPECT_EQ(run.found.nodes, row.nodes);
  EXPECT_EQ(run.found.depth, row.depth);
  EXPECT_NEAR(run.found.solution.best->reward, row.best, 1e-6);
  EXPECT_EQ(ledger.nfe, row.budget);
  EXPECT_EQ(run.passes(), row.budget) << "what the models counted";
}

const std::vector<const Lexicon*> kOneLexicon = {&llada_lexicon(), &llada_lexicon(),
                                                 &llada_lexicon()};
const std::vector<const Lexicon*> kThreeLexicons = {&dream_lexicon(), &llada_lexicon(),
                                                    &sdc_lexicon()};

TEST(SolveEngine, TheDecoderGrowsTheTreesOfTheTable) {
  for (const golden::Row& row : golden::kRows) {
    if (row.budget > 12288) continue;  // long, and nothing new
    SCOPED_TRACE(fmt::format("{}, {} actions, budget {}", row.name, row.actions, row.budget));
    expect_row(row, ScribeRun(kOneLexicon, row.rewards, row.actions, row.budget));
  }
}

TEST(SolveEngine, TheyAreTheSameWhenEveryModelHasItsOwnTokenizer) {
  for (const golden::Row& row : golden::kRows) {
    if (row.budget != 3072 && row.budget != 6144) continue;
    SCOPED_TRACE(fmt::format("{}, {} actions, budget {}", row.name, row.actions, row.budget));
    expect_row(row, ScribeRun(kThreeLexicons, row.rewards, row.actions, row.budget));
  }
}

TEST(SolveEngine, ExpansionsComeInTheGoldenOrder) {
  for (const auto& lexicons : {kOneLexicon, kThreeLexicons}) {
    EXPECT_EQ(ScribeRun(lexicons, golden::equal, 2, 6144).found.order, golden::kOrderOfEqual);
    EXPECT_EQ(ScribeRun(lexicons, golden::mod_7, 2, 6144).found.order, golden::kOrderOfMod7);
  }
}

// ---- judging and caching

TEST(SolveEngine, EqualTextsAreJudgedOnce) {
  const Lexicon& lexicon = llada_lexicon();
  const auto writer = [&](char filler) {
    const Token letter = lexicon.tokenizer->encode_bytes("a").at(0);
    const Token after = lexicon.tokenizer->encode_bytes(std::string(1, filler)).at(0);
    const Token end = lexicon.tokens.end_of_text;
    const int vocabulary = lexicon.tokenizer->size();
    ModelInfo info{
        .family = "test", .tokens = lexicon.tokens, .vocabulary = vocabulary, .max_length = 64};
    return ScriptedModel(info, [=](std::span<const Token>, int position) {
      std::vector<float> logits(vocabulary, 0.0f);
      logits[position < 3 ? letter : position == 3 ? end : after] = 9;
      return logits;
    });
  };
  ScriptedModel one = writer('b'), other = writer('c');
  States states({{{&one, lexicon.tokenizer, {}}, {&other, lexicon.tokenizer, {}}},
                 {{.model = 0}, {.model = 1}},
                 {.window = 8, .ratios = kRatios}});
  Judge judge([](std::string_view) { return 0.5; });
  const Found found = search(states, judge, {.budget = LONG_MAX});
  EXPECT_EQ(found.solution.stopped, Stop::kExhausted);
  EXPECT_GT(found.solution.ledger.judged, 1) << "ends that differ behind the end of the text";
  EXPECT_EQ(judge.texts, std::vector<std::string>{"aaa"});
}

TEST(SolveEngine, WithoutTheCacheTheSameExpansionsCostMore) {
  HashingModels models;
  States states(models.setup()), again(models.setup());
  Judge judge(worth_of), judge_again(worth_of);
  const Found cached = search(states, judge, {.budget = 200});
  const Found paid = search(again, judge_again, {.budget = 500, .use_cache = false});
  EXPECT_GT(cached.solution.ledger.hits, 5);
  EXPECT_EQ(paid.solution.ledger.hits, 0);
  const std::size_t shared = cached.expansions.size() - 1;  // the last one was cut
  ASSERT_GT(paid.expansions.size(), shared);
  for (std::size_t i = 0; i < shared; ++i) {
    EXPECT_EQ(paid.expansions[i], cached.expansions[i]) << "expansion " << i;
  }
}

// ---- real transformers

struct TwoModels {
  TwoModels(int threads, const std::string& target)
      : dream(tiny_checkpoint("tiny-dream"), make_cpu_backend(threads, target)),
        llada(tiny_checkpoint("tiny-llada"), make_cpu_backend(threads, target)) {}
  Participant participant(Loaded& loaded) {
    const Tokenizer& tokenizer = loaded.model.tokenizer();
    return {&loaded.model, &tokenizer, tokenizer.encode_bytes("def f(x):")};
  }
  WalkSetup setup() {
    return {{participant(dream), participant(llada)},
            {{.model = 0, .strategy = Strategy::kEntropy, .temperature = 0.1f}, {.model = 1}},
            {.window = 16, .ratios = kRatios}};
  }
  Loaded dream, llada;
};

Found search_two_models(int threads, const std::string& target) {
  TwoModels models(threads, target);
  States states(models.setup());
  Judge judge(worth_of);
  return search(states, judge, {.budget = 10 * 16});
}

TEST(SolveEngine, TwoTransformersFindTheSameAnswerOnEveryMachine) {
  const Found expected = search_two_models(1, "");
  EXPECT_EQ(expected.solution.ledger.nfe, 160);
  EXPECT_GT(expected.solution.ledger.switches, 2);
  const auto expect_same = [&](const Found& found) {
    EXPECT_EQ(found.answer, expected.answer);
    EXPECT_EQ(found.order, expected.order);
    EXPECT_EQ(found.expansions, expected.expansions);
    EXPECT_EQ(found.solution.best->iteration, expected.solution.best->iteration);
  };
  expect_same(search_two_models(3, ""));
  for (const std::string& target : cpu_targets()) {
    SCOPED_TRACE(target);
    expect_same(search_two_models(2, target));
  }
}

TEST(SolveEngine, ABudgetOfOneWindowIsThePlainDecodingOfTheFirstAction) {
  TwoModels models(2, "");
  States states(models.setup());
  Judge judge(worth_of);
  const Found found = search(states, judge, {.budget = 16});
  const Action first{.model = 0, .strategy = Strategy::kEntropy, .temperature = 0.1f};
  const Decoding plain =
      decode(models.dream.model, models.participant(models.dream).prompt, first,
             {.length = 16, .stop_at_end = false}, [](const auto&, auto) { return true; });
  EXPECT_EQ(states.at(found.solution.best->end).cells, plain.window);
  EXPECT_EQ(found.solution.ledger.misses, 1);
}

TEST(SolveEngine, OneActionGivesItsPlainDecodingAtEveryBudget) {
  Loaded loaded(tiny_checkpoint("tiny-llada"), make_cpu_backend(2, ""));
  const Action action = recommended_action(loaded.model.info());
  const Tokenizer& tokenizer = loaded.model.tokenizer();
  const std::vector<Token> prompt = tokenizer.encode_bytes("def f(x):");
  const Decoding plain = decode(loaded.model, prompt, action, {.length = 16, .stop_at_end = false},
                                [](const auto&, auto) { return true; });
  for (const long budget : {16L, 17L, 100L, LONG_MAX}) {
    States states(
        {{{&loaded.model, &tokenizer, prompt}}, {action}, {.window = 16, .ratios = kRatios}});
    Judge judge(worth_of);
    const Found found = search(states, judge, {.budget = budget});
    EXPECT_EQ(states.at(found.solution.best->end).cells, plain.window) << budget;
    EXPECT_EQ(found.solution.ledger.nfe, 16);
    EXPECT_EQ(found.solution.ledger.misses, 1);
  }
}

}  // namespace
}  // namespace umf
