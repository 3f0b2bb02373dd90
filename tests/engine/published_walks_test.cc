// Walks whose actions are the published loops of families: from any checkpoint on they go as the
// whole walk did, whatever a model remembers, and from the root as plain decoding does.
#include <gtest/gtest.h>

#include <climits>
#include <numeric>
#include <tuple>

#include "decode/decoder.h"
#include "decode/walker.h"
#include "search/checkpoints.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

constexpr int kWindow = 24;

struct Loop {
  std::string model, fields, family = "";
};

const Loop kLoops[] = {{"tiny-fdv2", "block=4,commit=one"},
                       {"tiny-fdv2", "block=2,commit=tau:0.05"},
                       {"tiny-fdv2", "block=4,commit=one,temperature=0.7,seed=3"},
                       {"tiny-illada", "block=8,grow=true"},
                       {"tiny-illada", "block=8,grow=false"},
                       {"tiny-illada", "block=6,grow=true,temperature=0.7,seed=3"},
                       {"tiny-nemotron", "commit=one"},
                       {"tiny-nemotron", "block=4,commit=one"},
                       {"tiny-nemotron", "commit=tau:0.05"},
                       {"tiny-nemotron", "commit=tau:0.3,temperature=0.7,seed=3"},
                       {"tiny-open-dcoder", "remask=p2", "open-dcoder"},
                       {"tiny-open-dcoder", "remask=p2,temperature=0.7,seed=3", "open-dcoder"}};

// A loop on a model of its own, which remembers nothing yet.
struct Walking {
  Walking(const Loop& loop, int prompt_length)
      : loaded(tiny_checkpoint(loop.model), make_cpu_backend(1, ""), loop.family),
        action(recommended_action(loaded.model.info())),
        prompt(prompt_length) {
    set_fields(action, loop.fields);
    std::iota(prompt.begin(), prompt.end(), 30);
  }
  Walk walk(const WindowState& from) {
    const WalkSetup setup(
        {{&loaded.model, &loaded.model.tokenizer(), prompt}}, {action},
        {.window = kWindow, .ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)}});
    return Walker(setup).walk({}, from, INT_MAX);
  }
  Walk walk() { return walk({0, std::vector<Token>(kWindow, loaded.model.info().tokens.mask)}); }

  Loaded loaded;
  Action action;
  std::vector<Token> prompt;
};

class PublishedWalks : public testing::TestWithParam<std::tuple<Loop, int>> {
 protected:
  Walking begin() const { return {std::get<0>(GetParam()), std::get<1>(GetParam())}; }
};

TEST_P(PublishedWalks, GoOnFromACheckpointWhateverTheModelRemembers) {
  Walking warm = begin();
  const Walk whole = warm.walk();
  ASSERT_TRUE(whole.complete);
  EXPECT_GT(whole.path.size(), 3);
  for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
    const std::vector<WindowState> rest(whole.path.begin() + i + 1, whole.path.end());
    EXPECT_EQ(warm.walk(whole.path[i]).path, rest);
    EXPECT_EQ(begin().walk(whole.path[i]).path, rest) << "a model that has seen nothing";
  }
}

TEST_P(PublishedWalks, AreThePlainDecodingFromTheRoot) {
  Walking walking = begin();
  const Walk walk = walking.walk();
  const Decoding plain =
      decode(walking.loaded.model, walking.prompt, walking.action,
             {.length = kWindow, .stop_at_end = false}, [](const auto&, auto) { return true; });
  EXPECT_EQ(walk.path.back().cells, plain.window);
  EXPECT_EQ(walk.passes, plain.passes);
}

std::vector<Token> end_of(const Loop& loop) { return Walking(loop, 5).walk().path.back().cells; }

TEST(GrowingWindows, AreAnotherDecodingOnlyWhereLaterMasksAreSeen) {
  EXPECT_NE(end_of({"tiny-illada", "block=8,grow=true"}),
            end_of({"tiny-illada", "block=8,grow=false"}));
  for (const char* blocks : {"tiny-sdar", "tiny-fdv2"})
    EXPECT_EQ(end_of({blocks, "grow=true"}), end_of({blocks, "grow=false"})) << blocks;
}

INSTANTIATE_TEST_SUITE_P(Loops, PublishedWalks,
                         testing::Combine(testing::ValuesIn(kLoops), testing::Values(1, 7, 8, 9)));

}  // namespace
}  // namespace umf
