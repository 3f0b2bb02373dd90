// Walks over real transformers and real vocabularies.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "decode/decoder.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/engine_fixture.h"
#include "tokenizer/tokenizer_testing.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));

Participant participant(Loaded& loaded, const std::string& prompt) {
  const Tokenizer& tokenizer = loaded.model.tokenizer();
  return {&loaded.model, &tokenizer, tokenizer.encode_bytes(prompt)};
}

class WalksOf : public testing::TestWithParam<const char*> {};

TEST_P(WalksOf, TheRecommendedActionFromTheRootIsPlainDecoding) {
  Loaded loaded(tiny_checkpoint(GetParam()), make_cpu_backend(2, ""));
  const Action action = recommended_action(loaded.model.info());
  // Plain decoding has the blocks of attention count from the start of the prompt, too.
  const Participant one = participant(loaded, "f(x)");
  ASSERT_EQ(one.prompt.size(), 4);
  const std::vector<Token> prompt = one.prompt;
  NumberedWalks walker({one}, {action}, {.window = 16, .ratios = kRatios});
  const Outcome outcome = walker.walk({0, 0}, INT_MAX);
  const Decoding plain = decode(loaded.model, prompt, action, {.length = 16, .stop_at_end = false},
                                [](const auto&, auto) { return true; });
  EXPECT_EQ(walker.states.at(outcome.path.back().state).cells, plain.window);
  EXPECT_EQ(outcome.passes, plain.passes);
  EXPECT_EQ(walker.text(outcome.path.back().state),
            answer_text(loaded.model.tokenizer(), loaded.model.info().tokens, plain.window));
}

TEST_P(WalksOf, OnePassSampledInSeveralWaysGivesWhatSeveralPassesGive) {
  Loaded loaded(tiny_checkpoint(GetParam()), make_cpu_backend(2, ""));
  std::vector<Token> tokens = loaded.model.tokenizer().encode_bytes("f(x)");
  tokens.resize(12, loaded.model.info().tokens.mask);
  const std::vector<int> positions = {4, 5, 6, 7};
  const std::vector<Sampling> ways = {
      {}, {.temperature = 1, .noise = {1, 2}}, {.temperature = 0.5f, .top_k = 9, .noise = {3, 4}}};
  std::vector<Prediction> apart;
  for (const Sampling& way : ways) {
    const Query query{tokens, positions, way};
    const std::vector<Prediction> one = loaded.model.predict({&query, 1}).front();
    apart.insert(apart.end(), one.begin(), one.end());
  }
  const Query query{tokens, positions, ways[0], std::span(ways).subspan(1)};
  EXPECT_EQ(loaded.model.predict({&query, 1}).front(), apart);
}

INSTANTIATE_TEST_SUITE_P(AllModels, WalksOf,
                         testing::ValuesIn(std::begin(kDiffusionModels),
                                           std::end(kDiffusionModels)),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Every state that two models reach by taking turns, as cells.
std::vector<WindowState> alternating_states(int threads, const std::string& backend) {
  Loaded dream(tiny_checkpoint("tiny-dream"), backend_named(backend, threads));
  Loaded llada(tiny_checkpoint("tiny-llada"), backend_named(backend, threads));
  NumberedWalks walker({participant(dream, "def f(x):"), participant(llada, "def f(x):")},
                       {{.model = 0, .strategy = Strategy::kEntropy, .temperature = 0.1f},
                        {.model = 1},
                        {.model = 0, .strategy = Strategy::kOrigin, .temperature = 0.5f}},
                       {.window = 16, .ratios = kRatios});
  std::vector<WindowState> states;
  StateId at = 0;
  for (int level = 0; level < 4; ++level) {
    for (int action = 0; action < 3; ++action) {
      const Outcome outcome = walker.walk({at, action}, INT_MAX);
      for (const Place& place : outcome.path) states.push_back(walker.states.at(place.state));
    }
    at = walker.walk({at, level % 3}, INT_MAX).path.front().state;
  }
  return states;
}

TEST(Walks, ModelsThatTakeTurnsReachTheSameStatesOnEveryNumberOfThreads) {
  for (const char* backend : {"cpu", "cpu-bf16"}) {
    const auto expected = alternating_states(1, backend);
    EXPECT_GT(expected.size(), 50);
    for (const int threads : {2, 3}) EXPECT_EQ(alternating_states(threads, backend), expected);
  }
}

TEST(Walks, WalkersThatShareAModelDoNotDisturbEachOther) {
  Loaded loaded(tiny_checkpoint("tiny-llada"), make_cpu_backend(2, ""));
  const Action action{.temperature = 1};
  NumberedWalks one({participant(loaded, "one")}, {action}, {.window = 12, .ratios = kRatios});
  NumberedWalks other({participant(loaded, "other prompt")}, {action},
                      {.window = 8, .ratios = kRatios});
  const Outcome alone = one.walk({0, 0}, INT_MAX);
  StateId at = 0;
  for (const Place& place :
       alone.path) {  // checkpoint by checkpoint, with the other's walks between
    other.walk({0, 0, static_cast<std::uint64_t>(at)}, INT_MAX);
    at = one.walk({at, 0}, INT_MAX).path.front().state;
    EXPECT_EQ(at, place.state);
  }
}

TEST(Walks, WindowsOfThePublishedVocabularySurviveThereAndBack) {
  const TemporaryFolder folder;
  if (!unpack_qwen(folder, {"tokenizer.json", "tokenizer_config.json"})) {
    GTEST_SKIP() << "no Qwen2.5 tokenizer beside the checkout (shared/data)";
  }
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  const auto token = [&](const char* text) { return *tokenizer.find(text); };
  // Dream's roles in Qwen's vocabulary; the mask takes the place of a token that text does not
  // hold.
  const Lexicon qwen{&tokenizer,
                     {.mask = token("<|quad_end|>"),
                      .end_of_text = token("<|endoftext|>"),
                      .end_of_turn = token("<|im_end|>"),
                      .padding = token("<|endoftext|>"),
                      .ends = {token("<|endoftext|>"), token("<|im_end|>")}}};
  EXPECT_TRUE(same_lexicon(qwen, qwen));
  const auto roles_and_bytes = [](const Lexicon& lexicon, const std::vector<Token>& cells) {
    std::vector<std::pair<CellRole, std::string>> pieces;
    for (const Token cell : cells) {
      const CellRole role = role_of(lexicon, cell);
      const bool text = role == CellRole::kText;
      if (!text || pieces.empty() || pieces.back().first != CellRole::kText)
        pieces.push_back({role, ""});
      if (text) pieces.back().second += lexicon.tokenizer->bytes(cell);
    }
    return pieces;
  };
  std::mt19937 rng(8);
  for (int i = 0; i < 10000; ++i) {
    const std::vector<Token> cells = random_window(qwen, 1 + static_cast<int>(rng() % 40), rng);
    const Lexicon& tiny = i % 2 == 0 ? llada_lexicon() : dream_lexicon();
    const std::vector<Token> there = convert_cells(cells, qwen, tiny);
    const std::vector<Token> back = convert_cells(there, tiny, qwen);
    ASSERT_EQ(roles_and_bytes(tiny, there), roles_and_bytes(qwen, cells)) << "window " << i;
    ASSERT_EQ(roles_and_bytes(qwen, back), roles_and_bytes(qwen, cells)) << "window " << i;
  }
}

TEST(Walks, CopiesOfThePublishedTokenizerAreOneLexicon) {
  const TemporaryFolder json, files;
  if (!unpack_qwen(json, {"tokenizer.json", "tokenizer_config.json"}) ||
      !unpack_qwen(files, {"vocab.json", "merges.txt", "tokenizer_config.json"})) {
    GTEST_SKIP() << "no Qwen2.5 tokenizer beside the checkout (shared/data)";
  }
  const Tokenizer one = Tokenizer::load(json.path()), two = Tokenizer::load(files.path());
  const SpecialTokens tokens{.mask = 1, .end_of_text = 2, .ends = {2}};
  EXPECT_TRUE(same_lexicon({&one, tokens}, {&two, tokens}));
}

}  // namespace
}  // namespace umf
