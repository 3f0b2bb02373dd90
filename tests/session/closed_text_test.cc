// Closed text: no passes behind an end that nothing can move any more, and nothing else changes.
#include <gtest/gtest.h>

#include "search/checkpoints.h"
#include "session/decoding_world.h"
#include "solve/searches.h"
#include "solve/solve.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

// Rewards that depend on every byte of the text.
class LengthReward final : public Reward {
 public:
  Verdict judge(std::string_view answer) override {
    std::uint32_t hash = 7;
    for (const char c : answer) hash = hash * 31 + static_cast<unsigned char>(c);
    return {(hash % 101) / 100.0, ""};
  }
};

struct Result {
  std::vector<double> rewards;  // of every rollout, in order
  std::string answer;
  Ledger ledger;
};

// The first `rollouts` iterations of a search over two tiny models whose texts end early.
Result run(bool closed_text, int rollouts) {
  Loaded dream(tiny_checkpoint("tiny-dream"), make_cpu_backend(1, ""));
  Loaded llada(tiny_checkpoint("tiny-llada"), make_cpu_backend(1, ""));
  std::vector<Participant> participants;
  for (Loaded* loaded : {&dream, &llada}) {
    participants.push_back({&loaded->model, &loaded->model.tokenizer(),
                            loaded->model.tokenizer().encode("Say it.", SpecialText::kPlain)});
  }
  std::vector<Action> actions = {recommended_action(dream.model.info()),
                                 recommended_action(llada.model.info())};
  actions[1].model = 1;
  const WalkOptions options{.window = 40,
                            .ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)},
                            .closed_text = closed_text};
  States states({participants, actions, options});
  LengthReward reward;
  DecodingWorld world(states, reward, {});
  RolloutCache cache;
  const auto search =
      make_search("unmaskfork", {.root = world.root(), .actions = 2, .cache = &cache});
  Result result;
  const Solution solution =
      solve(*search, world, cache, {.budget = 1'000'000}, [&](const RolloutEvent& event) {
        result.rewards.push_back(event.outcome.reward);
        return static_cast<int>(result.rewards.size()) < rollouts;
      });
  result.answer = states.text(solution.best->end);
  result.ledger = solution.ledger;
  return result;
}

TEST(ClosedText, RewardsAndAnswerAreTheSameForFewerPasses) {
  constexpr int kRollouts = 120;
  const Result plain = run(false, kRollouts), spared = run(true, kRollouts);
  EXPECT_EQ(plain.rewards, spared.rewards);
  EXPECT_EQ(plain.answer, spared.answer);
  EXPECT_EQ(plain.ledger.spared, 0);
  EXPECT_GT(spared.ledger.spared, 0) << "no text of this example was closed early";
  EXPECT_LT(spared.ledger.nfe, plain.ledger.nfe);
}

}  // namespace
}  // namespace umf
