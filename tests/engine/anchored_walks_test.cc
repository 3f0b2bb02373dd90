// Walks with an anchor: another action near the exact one, and as pure as every action.
#include <gtest/gtest.h>

#include <climits>

#include "decode/decoder.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"

namespace umf {
namespace {

constexpr int kWindow = 48;
const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
constexpr const char* kModels[] = {"tiny-dream", "tiny-llada", "tiny-sdc"};

const std::vector<std::string>& anchored_actions() {
  static const std::vector<std::string> kActions = {
      "anchor=checkpoint", "anchor=checkpoint,active=1", "anchor=checkpoint,active=4,temperature=1",
      "anchor=checkpoint,commit=tau:0.3", "anchor=checkpoint,strategy=margin,commit=frechet:0.99"};
  return kActions;
}

// Walks of the models, each with this action, and then of both together.
class Walks {
 public:
  Walks(const std::string& fields, const std::string& backend, int threads,
        WalkOptions options = {.window = kWindow, .ratios = kRatios}) {
    std::vector<Participant> participants;
    std::vector<Action> actions;
    for (const char* name : kModels) {
      models_.push_back(
          std::make_unique<Loaded>(tiny_checkpoint(name), backend_named(backend, threads)));
      LanguageModel& model = models_.back()->model;
      participants.push_back({&model, &model.tokenizer(), model.tokenizer().encode_bytes("f(x)")});
      actions.push_back(recommended_action(model.info()));
      actions.back().model = static_cast<int>(actions.size()) - 1;
      set_fields(actions.back(), fields);
    }
    Action relay = actions[0];
    relay.others = {actions[1]};
    relay.ensemble = Ensemble::kRelay;
    if (relay.commit.kind == CommitRule::Kind::kOne) set_fields(relay, "commit=tau:0.3");
    actions.push_back(relay);
    walks.emplace(participants, actions, options);
  }
  int actions() const { return static_cast<int>(walks->states.setup().actions().size()); }
  std::vector<Token> cells(const Place& place) const { return walks->states.at(place.state).cells; }

  std::optional<NumberedWalks> walks;

 private:
  std::vector<std::unique_ptr<Loaded>> models_;
};

TEST(AnchoredWalks, GoOnFromACheckpointAsIfNothingHadBeen) {
  for (const std::string& fields : anchored_actions()) {
    Walks walks(fields, "cpu", 1);
    for (int action = 0; action < walks.actions(); ++action) {
      SCOPED_TRACE(fields + " " + std::to_string(action));
      const Outcome whole = walks.walks->walk({0, action}, INT_MAX);
      ASSERT_GT(whole.path.size(), 2);
      EXPECT_GT(whole.partial, 0);
      EXPECT_LT(whole.equivalents, whole.passes);
      for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
        const Outcome rest = walks.walks->walk({whole.path[i].state, action}, INT_MAX);
        EXPECT_TRUE(std::ranges::equal(rest.path, std::span(whole.path).subspan(i + 1)));
        EXPECT_EQ(rest.passes, whole.passes - whole.passes_at[i]);
      }
      // Also where others walked in between, and where it is cut and begun again.
      walks.walks->walk({whole.path[1].state, (action + 1) % walks.actions()}, INT_MAX);
      walks.walks->walk({0, action}, whole.passes / 2);
      EXPECT_EQ(walks.walks->walk({0, action}, INT_MAX).path, whole.path);
    }
  }
}

TEST(AnchoredWalks, AreTheSameOnEveryBackendAndNumberOfThreads) {
  for (const std::string& fields : {anchored_actions()[0], anchored_actions()[3]}) {
    Walks one(fields, "cpu", 1), two(fields, "cpu", 2), plain(fields, "reference", 1);
    for (int action = 0; action < one.actions(); ++action) {
      SCOPED_TRACE(fields + " " + std::to_string(action));
      const Outcome outcome = one.walks->walk({0, action}, INT_MAX);
      for (Walks* other : {&two, &plain}) {
        const Outcome same = other->walks->walk({0, action}, INT_MAX);
        EXPECT_EQ(same.partial, outcome.partial);
        EXPECT_EQ(same.equivalents, outcome.equivalents);
        ASSERT_EQ(same.path.size(), outcome.path.size());
        for (std::size_t i = 0; i < same.path.size(); ++i)
          EXPECT_EQ(other->cells(same.path[i]), one.cells(outcome.path[i]));
      }
    }
  }
}

// 7 checkpoints and the start: as many whole passes; every other pass computes few rows.
TEST(AnchoredWalks, ComputeAllRowsAtCheckpointsAlone) {
  Walks walks("anchor=checkpoint", "cpu", 1);
  for (const int action : {0, 1}) {
    const Outcome outcome = walks.walks->walk({0, action}, INT_MAX);
    EXPECT_EQ(outcome.passes, kWindow);
    EXPECT_EQ(outcome.partial, kWindow - 8);
  }
}

TEST(AnchoredWalks, WithEveryRowActiveAreExact) {
  // Factors so large that half of the window is computed give whole passes throughout.
  Walks exact("commit=one", "cpu", 1), all("anchor=checkpoint,active=100", "cpu", 1);
  for (const int action : {0, 1}) {
    const Outcome outcome = all.walks->walk({0, action}, INT_MAX),
                  expected = exact.walks->walk({0, action}, INT_MAX);
    ASSERT_EQ(outcome.path.size(), expected.path.size());
    EXPECT_EQ(exact.cells(expected.path[2]), all.cells(outcome.path[2]));
  }
}

TEST(AnchoredWalks, OfBlocksComputeTheRowsOfABlock) {
  Walks walks("anchor=block", "cpu", 1, {.window = kWindow, .ratios = kRatios, .block_length = 16});
  for (const int action : {0, 1}) {
    const Outcome outcome = walks.walks->walk({0, action}, INT_MAX);
    EXPECT_EQ(outcome.passes, kWindow);
    EXPECT_GT(outcome.partial, kWindow / 2);
    for (std::size_t i = 0; i + 1 < outcome.path.size(); ++i)
      EXPECT_TRUE(
          std::ranges::equal(walks.walks->walk({outcome.path[i].state, action}, INT_MAX).path,
                             std::span(outcome.path).subspan(i + 1)));
  }
}

TEST(AnchoredWalks, MayBePaidByTheirArithmetic) {
  const WalkOptions options{.window = kWindow, .ratios = kRatios, .unit = BudgetUnit::kEquivalents};
  Walks passes("anchor=checkpoint", "cpu", 1), paid("anchor=checkpoint", "cpu", 1, options);
  for (int action = 0; action < paid.actions(); ++action) {
    SCOPED_TRACE(action);
    const Outcome expected = passes.walks->walk({0, action}, INT_MAX),
                  outcome = paid.walks->walk({0, action}, INT_MAX);
    EXPECT_EQ(paid.cells(outcome.path.back()), passes.cells(expected.path.back()));
    EXPECT_EQ(outcome.passes, std::ceil(expected.equivalents));
    EXPECT_EQ(outcome.partial, expected.partial);
    // One that ends before its limit is taken for one that somebody stopped.
    for (int limit = 1; limit < outcome.passes; ++limit) {
      const Outcome cut = paid.walks->walk({0, action}, limit);
      EXPECT_EQ(cut.passes, limit);
      EXPECT_FALSE(cut.complete);
    }
  }
}

TEST(AnchoredWalks, AreDecodedByThemselvesAsInASearch) {
  Walks walks("anchor=checkpoint", "cpu", 1);
  for (const int action : {0, 1}) {
    const Outcome outcome = walks.walks->walk({0, action}, INT_MAX);
    const auto& setup = walks.walks->states.setup();
    const Participant& one = setup.participants()[action];
    Action alone = setup.actions()[action];
    alone.model = 0;
    const Decoding decoding =
        decode(*one.model, one.prompt, alone, {.length = kWindow, .stop_at_end = false},
               [](const auto&, auto) { return true; });
    EXPECT_EQ(decoding.window, walks.cells(outcome.path.back()));
    EXPECT_EQ(decoding.partial, outcome.partial);
    EXPECT_EQ(decoding.equivalents, outcome.equivalents);
  }
}

TEST(AnchoredWalks, NeedAStrategyThatLooksAndBlocksThatAreThere) {
  Action action;
  EXPECT_ERROR(set_fields(action, "anchor=checkpoint,strategy=origin"), "does not go with origin");
  EXPECT_ERROR(set_fields(action, "anchor=checkpoint,remask=conf"), "does not go with remask");
  EXPECT_ERROR(set_fields(action, "anchor=drift"), "Choose one of none, checkpoint, block");
  EXPECT_ERROR(set_fields(action, "active=0.5"), "active must be 1 or more");
  EXPECT_ERROR(Walks("anchor=block", "cpu", 1), "anchor=block needs blocks");
}

}  // namespace
}  // namespace umf
