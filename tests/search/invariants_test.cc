// What holds for every search, whatever the rewards. Each test cites what it checks.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <map>

#include "support/search_play.h"

namespace umf {
namespace {

using NodeId = UnMaskFork::NodeId;

constexpr int kTrees = 800;  // random searches per invariant

// Plays `kTrees` random searches.
template <class Check>
void for_random_searches(Check&& check, BudgetPolicy policy = BudgetPolicy::kCut) {
  for (int seed = 0; seed < kTrees; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Scenario scenario = random_scenario(seed);
    scenario.limits.policy = policy;
    if (policy == BudgetPolicy::kSkip) scenario.limits.budget += scenario.window;
    check(Play(scenario));
    if (testing::Test::HasFailure()) return;
  }
}

template <class Check>
void for_nodes(const UnMaskFork& search, Check&& check) {
  for (NodeId id = 0; id < search.nodes(); ++id) check(id, search.node(id), search.children(id));
}

// ---- Budget and counters

// docs/algorithm.md#cut-spends-the-budget
TEST(SearchBudget, CutSpendsExactlyTheBudgetUnlessNothingIsLeft) {
  for_random_searches([](const Play& play) {
    const long budget = play.scenario.limits.budget;
    if (play.solution.stopped == Stop::kBudget)
      EXPECT_EQ(play.solution.ledger.nfe, budget);
    else
      EXPECT_EQ(play.solution.stopped, Stop::kExhausted);
    EXPECT_LE(play.solution.ledger.nfe, budget);
  });
}

// docs/algorithm.md#finish-and-skip
TEST(SearchBudget, FinishOvershootsByLessThanARolloutAndSkipNever) {
  for_random_searches(
      [](const Play& play) {
        EXPECT_LT(play.solution.ledger.nfe, play.scenario.limits.budget + play.scenario.window);
        EXPECT_EQ(play.complete_steps(), play.steps.size());
      },
      BudgetPolicy::kFinish);
  for_random_searches(
      [](const Play& play) {
        EXPECT_LE(play.solution.ledger.nfe, play.scenario.limits.budget);
        EXPECT_EQ(play.complete_steps(), play.steps.size());
      },
      BudgetPolicy::kSkip);
}

// docs/algorithm.md#passes-are-counted
// docs/algorithm.md#judged-once
TEST(SearchBudget, EveryPassAndEveryJudgementIsCounted) {
  for_random_searches([](const Play& play) {
    EXPECT_EQ(play.solution.ledger.nfe, play.world.passes);
    EXPECT_EQ(play.solution.ledger.evaluations, play.world.judgements);
    EXPECT_EQ(play.solution.ledger.evaluations, play.solution.ledger.misses);
    EXPECT_EQ(play.solution.ledger.judged, play.world.judgements);
    EXPECT_FALSE(play.world.judged_twice);
  });
}

// docs/algorithm.md#cost-of-a-miss
// docs/algorithm.md#hits-are-free
TEST(SearchBudget, AMissCostsTheMasksOfItsNodeAndAHitNothing) {
  for_random_searches([](const Play& play) {
    long nfe = 0;
    for (const Step& step : play.steps) {
      const int cost = step.hit ? 0 : step.masks;
      if (step.complete)
        EXPECT_EQ(step.passes, cost);
      else
        EXPECT_LT(step.passes, cost);
      EXPECT_EQ(step.nfe, nfe += step.passes);
    }
  });
}

// docs/algorithm.md#rollouts-are-nodes
TEST(SearchBudget, RolloutsAreHitsAndMissesAndNodes) {
  for_random_searches([](const Play& play) {
    const long rollouts = play.solution.ledger.rollouts();
    EXPECT_EQ(rollouts, play.steps.size());
    EXPECT_EQ(rollouts, play.search.nodes() - 1);
    EXPECT_EQ(rollouts, play.search.node(UnMaskFork::kRoot).visits);
  });
}

// docs/algorithm.md#switches
// docs/algorithm.md#savings
TEST(SearchBudget, SwitchesAndSavingsAreBounded) {
  for_random_searches([](const Play& play) {
    const Ledger& ledger = play.solution.ledger;
    EXPECT_LE(ledger.switches, std::max(0l, ledger.misses - 1));
    if (play.scenario.actions == 1) {
      EXPECT_EQ(ledger.switches, 0);
    }
    EXPECT_LE(ledger.saved_capped, ledger.saved_full);
    EXPECT_EQ(ledger.saved_full == 0, ledger.hits == 0);
  });
}

// docs/algorithm.md#savings
TEST(SearchBudget, OneOrTwoRolloutsLeaveNoRoomForHits) {
  for (int seed = 0; seed < 50; ++seed) {
    for (const long budget : {768, 1536}) {
      Scenario scenario{.rewards = uniform_rewards(seed)};
      scenario.limits.budget = budget;
      EXPECT_EQ(Play(scenario).solution.ledger.hits, 0);
    }
  }
}

// docs/algorithm.md#five-misses
TEST(SearchBudget, ThreeThousandAndSeventyTwoPassesAreFiveMisses) {
  for (int seed = 0; seed < kTrees; ++seed) {
    Scenario scenario{.rewards = seed % 2 ? uniform_rewards(seed) : wild_rewards(seed)};
    scenario.limits.budget = 3072;
    EXPECT_EQ(Play(scenario).solution.ledger.misses, 5);
  }
}

// ---- Tree

// docs/algorithm.md#visits-add-up
// docs/algorithm.md#rewards-add-up
TEST(SearchTree, VisitsAndSumsAddUp) {
  for_random_searches([](const Play& play) {
    for_nodes(play.search,
              [&](NodeId id, const UnMaskFork::Node& node, const std::vector<NodeId>& children) {
                const bool root = id == UnMaskFork::kRoot;
                int visits = root ? 0 : 1;
                double sum = root ? 0 : node.reward;
                for (const NodeId child : children) {
                  visits += play.search.node(child).visits;
                  sum += play.search.node(child).sum;
                }
                EXPECT_EQ(node.visits, visits);
                EXPECT_NEAR(node.sum, sum, 1e-9);
              });
  });
}

// docs/algorithm.md#one-child-per-action
// docs/algorithm.md#depth
// docs/algorithm.md#masks-fall
TEST(SearchTree, ChildrenAreOnePerActionAndOneLevelDown) {
  for_random_searches([](const Play& play) {
    EXPECT_LE(play.search.depth(), play.leaf_level());
    for_nodes(play.search,
              [&](NodeId, const UnMaskFork::Node& node, const std::vector<NodeId>& children) {
                std::set<int> actions;
                for (const NodeId child : children) {
                  actions.insert(play.search.node(child).action);
                  EXPECT_EQ(play.search.node(child).level, node.level + 1);
                  EXPECT_LT(play.search.node(child).masks, node.masks);
                }
                EXPECT_EQ(actions.size(), children.size());
              });
  });
}

// docs/algorithm.md#explored-before-descended
TEST(SearchTree, ANodeIsDescendedThroughOnlyWhenAllItsActionsAreExplored) {
  for_random_searches([](const Play& play) {
    std::map<std::vector<int>, std::set<int>> explored;
    for (const Step& step : play.steps) {
      EXPECT_TRUE(explored[step.from].insert(step.action).second);
      for (std::size_t length = 0; length < step.from.size(); ++length) {
        const std::vector<int> above(step.from.begin(), step.from.begin() + length);
        EXPECT_EQ(explored[above].size(), play.scenario.actions);
      }
    }
  });
}

// docs/algorithm.md#exhausted
TEST(SearchTree, ExhaustedMeansThatNothingIsUnexploredBelow) {
  for_random_searches([](const Play& play) {
    std::vector<bool> open(play.search.nodes());
    for (NodeId id = play.search.nodes() - 1; id >= 0; --id) {  // children come after their parents
      const UnMaskFork::Node& node = play.search.node(id);
      const bool leaf = node.masks == 0 || node.level == play.leaf_level();
      const auto children = play.search.children(id);
      open[id] = !leaf && children.size() < play.scenario.actions;
      for (const NodeId child : children) open[id] = open[id] || open[child];
      const bool cut_short =
          id == play.search.nodes() - 1 && play.complete_steps() < play.steps.size();
      if (!cut_short)
        EXPECT_EQ(node.exhausted, !open[id]) << id;
      else
        open[id] = !node.exhausted;
    }
  });
}

// docs/algorithm.md#root-in-list-order
TEST(SearchTree, TheRootsActionsComeFirstInListOrder) {
  for_random_searches([](const Play& play) {
    for (int i = 0; i < std::min<int>(play.scenario.actions, play.steps.size()); ++i) {
      EXPECT_TRUE(play.steps[i].from.empty());
      EXPECT_EQ(play.steps[i].action, i);
      EXPECT_FALSE(play.steps[i].hit);
    }
  });
}

// docs/algorithm.md#incoming-action-first
TEST(SearchTree, TheFirstExpansionBelowTheRootRepeatsTheIncomingActionForNothing) {
  for_random_searches([](const Play& play) {
    std::set<std::vector<int>> expanded;
    for (const Step& step : play.steps) {
      if (!step.from.empty()) {
        EXPECT_EQ(step.hit, expanded.insert(step.from).second);
      }
      if (step.hit) {
        EXPECT_EQ(step.action, step.from.back());
      }
    }
  });
}

// docs/algorithm.md#always-ends
TEST(SearchTree, EverySearchEndsWithTheCountsOfItsWholeTree) {
  for (int seed = 0; seed < kTrees; ++seed) {
    Scenario scenario = random_scenario(seed);
    scenario.limits.budget = LONG_MAX;
    scenario.ratios.resize(std::min<std::size_t>(scenario.ratios.size(), 4));
    const Play play(scenario);
    long misses = 1, hits = 0;
    for (int level = 1; level <= play.leaf_level(); ++level) hits += misses *= scenario.actions;
    EXPECT_EQ(play.solution.stopped, Stop::kExhausted);
    EXPECT_EQ(play.solution.ledger.misses, misses) << seed;
    EXPECT_EQ(play.solution.ledger.hits, hits - misses) << seed;
  }
}

// ---- Determinism and caching

void expect_prefix(const std::vector<Step>& shorter, std::size_t count,
                   const std::vector<Step>& longer) {
  ASSERT_LE(count, longer.size());
  for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(same_expansion(shorter[i], longer[i])) << i;
}

// docs/algorithm.md#same-trace
TEST(SearchDeterminism, TheSameInputsGiveTheSameTrace) {
  for_random_searches([](const Play& play) {
    const Play again(play.scenario);
    EXPECT_EQ(again.steps.size(), play.steps.size());
    expect_prefix(play.steps, play.steps.size(), again.steps);
  });
}

// docs/algorithm.md#cache-changes-cost-only
TEST(SearchDeterminism, TheCacheChangesOnlyWhatIsPaid) {
  for_random_searches([](const Play& play) {
    Scenario scenario = play.scenario;
    scenario.limits.use_cache = false;
    scenario.limits.budget = LONG_MAX;
    scenario.most_steps = play.steps.size();
    const Play paid(scenario);
    expect_prefix(play.steps, play.complete_steps(), paid.steps);
    EXPECT_EQ(paid.solution.ledger.hits, 0);
    EXPECT_GE(paid.solution.ledger.nfe, play.solution.ledger.nfe);
  });
}

// docs/algorithm.md#larger-budget-replays
TEST(SearchDeterminism, ALargerBudgetReplaysTheSmaller) {
  for_random_searches([](const Play& play) {
    Scenario scenario = play.scenario;
    scenario.limits.budget *= 2;
    expect_prefix(play.steps, play.complete_steps(), Play(scenario).steps);
  });
}

// docs/algorithm.md#cached-ends
// docs/algorithm.md#children-recomputed
TEST(SearchDeterminism, CachedEndsAndChildrenAreThoseOfRunningAgain) {
  for_random_searches([](const Play& play) {
    TableWorld fresh(play.scenario.actions, play.scenario.window, play.scenario.ratios,
                     play.scenario.rewards);
    for (const Step& step : play.steps) {
      if (!step.complete) continue;
      StateId from = 0;
      for (const int action : step.from)
        from = fresh.walk({from, action}, INT_MAX).path.front().state;
      const Outcome again = fresh.walk({from, step.action}, INT_MAX);
      ASSERT_EQ(again.path.size(), step.path.size());
      for (std::size_t i = 0; i < again.path.size(); ++i) {
        EXPECT_EQ(fresh.sequence(again.path[i].state), play.table.sequence(step.path[i].state));
        EXPECT_EQ(again.path[i].masks, step.path[i].masks);
      }
    }
  });
}

// docs/algorithm.md#hits-repeat-rewards
TEST(SearchDeterminism, AHitRepeatsTheRewardOfAnEarlierMiss) {
  for_random_searches([](const Play& play) {
    std::map<StateId, double> missed;
    for (const Step& step : play.steps) {
      const StateId end = step.path.back().state;
      if (!step.hit)
        EXPECT_TRUE(missed.emplace(end, step.reward).second);
      else
        EXPECT_EQ(std::bit_cast<std::uint64_t>(missed.at(end)),
                  std::bit_cast<std::uint64_t>(step.reward));
    }
  });
}

// docs/algorithm.md#forgetting-changes-cost-only
TEST(SearchDeterminism, ForgettingResultsChangesOnlyWhatIsPaid) {
  for_random_searches([](const Play& play) {
    TableWorld world(play.scenario.actions, play.scenario.window, play.scenario.ratios,
                     play.scenario.rewards);
    RolloutCache known, results;  // which pairs were run, and what came of them
    UnMaskFork search(play.scenario.actions, world.root(), play.scenario.search, known);
    for (std::size_t i = 0; i < play.complete_steps(); ++i) {
      const Trial trial = *search.ask();
      EXPECT_EQ(world.sequence(trial.from), play.steps[i].from);
      EXPECT_EQ(trial.action, play.steps[i].action);
      std::optional<Outcome> outcome = results.find(trial.from, trial.action);
      if (!outcome) {
        outcome = world.walk(trial, INT_MAX);
        outcome->reward = world.judge(outcome->path.back().state).reward;
        known.insert(trial, *outcome);
        results.insert(trial, *outcome);
      }
      search.tell(trial, *outcome);
      if (i % 3 == 2) results = {};
    }
  });
}

// docs/algorithm.md#order-of-rollouts
TEST(SearchDeterminism, TheOrderOfRolloutsChangesNoneOfThem) {
  for_random_searches([](const Play& play) {
    TableWorld backwards(play.scenario.actions, play.scenario.window, play.scenario.ratios,
                         play.scenario.rewards);
    for (std::size_t i = play.complete_steps(); i-- > 0;) {
      StateId from = 0;
      for (const int action : play.steps[i].from) {
        from = backwards.walk({from, action}, INT_MAX).path.front().state;
      }
      const StateId end = backwards.walk({from, play.steps[i].action}, INT_MAX).path.back().state;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(backwards.judge(end).reward),
                std::bit_cast<std::uint64_t>(play.steps[i].reward));
    }
  });
}

// ---- Result

// docs/algorithm.md#best-never-falls
// docs/algorithm.md#select-best
TEST(SearchResult, TheBestIsTheEarliestOfTheHighestAndNeverFalls) {
  for_random_searches([](const Play& play) {
    std::optional<Candidate> best;
    long iteration = 0;
    for (const Step& step : play.steps) {
      const Candidate candidate{
          .reward = step.reward, .complete = step.complete, .iteration = ++iteration};
      if (!best || better(candidate, *best)) best = candidate;
      EXPECT_EQ(step.best->iteration, best->iteration);
    }
    for (const Step& step : play.steps) {
      EXPECT_FALSE(better({.reward = step.reward, .complete = step.complete}, *play.solution.best));
    }
  });
}

// docs/algorithm.md#one-window
TEST(SearchResult, OneRolloutsBudgetGivesThePlainDecodingOfTheFirstAction) {
  for_random_searches([](const Play& play) {
    Scenario scenario = play.scenario;
    scenario.limits.budget = scenario.window;
    const Play plain(scenario);
    EXPECT_EQ(plain.solution.best->actions, std::vector<int>(plain.table.levels(), 0));
    EXPECT_TRUE(plain.solution.best->complete);
  });
}

// docs/algorithm.md#one-action
TEST(SearchResult, OneActionGivesItsPlainDecodingAtEveryBudget) {
  for_random_searches([](const Play& play) {
    Scenario scenario = play.scenario;
    scenario.actions = 1;
    scenario.limits.budget += scenario.window;
    const Play plain(scenario);
    EXPECT_EQ(plain.solution.best->actions, std::vector<int>(plain.table.levels(), 0));
    EXPECT_EQ(plain.solution.ledger.nfe, scenario.window);
  });
}

// docs/algorithm.md#constant-shift
TEST(SearchResult, AConstantAddedToAllRewardsChangesNothing) {
  for (int seed = 0; seed < kTrees; ++seed) {
    Scenario scenario = random_scenario(seed);
    scenario.rewards = coarse_rewards(seed);
    const Play play(scenario);
    scenario.rewards = [base = scenario.rewards](std::span<const int> actions) {
      return base(actions) + 0.25;
    };
    const Play shifted(scenario);
    ASSERT_EQ(play.steps.size(), shifted.steps.size());
    for (std::size_t i = 0; i < play.steps.size(); ++i)
      EXPECT_EQ(play.steps[i].path, shifted.steps[i].path);
  }
}

// docs/algorithm.md#any-reward
TEST(SearchResult, NoRewardPoisonsTheTree) {
  for (int seed = 0; seed < kTrees; ++seed) {
    Scenario scenario = random_scenario(seed);
    scenario.rewards = wild_rewards(seed);
    const Play play(scenario);
    for_nodes(play.search, [](NodeId, const UnMaskFork::Node& node, const std::vector<NodeId>&) {
      EXPECT_TRUE(std::isfinite(node.sum));
      EXPECT_TRUE(node.reward >= 0 && node.reward <= 1);
    });
    for (const Step& step : play.steps) {
      if (!std::isnan(step.reward)) {
        EXPECT_GE(play.solution.best->reward, step.reward);
      }
    }
  }
}

// docs/algorithm.md#equal-rewards
TEST(SearchResult, EqualRewardsFillTheTreeBreadthFirst) {
  for (int seed = 0; seed < kTrees; ++seed) {
    Scenario scenario = random_scenario(seed);
    scenario.rewards = zero_rewards();
    std::size_t length = 0;
    for (const Step& step : Play(scenario).steps) {
      EXPECT_GE(step.from.size() + 1, length);  // a hit may run one level ahead
      length = std::max(length, step.from.size());
    }
  }
}

}  // namespace
}  // namespace umf
