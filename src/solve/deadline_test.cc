#include "solve/deadline.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/search_play.h"

namespace umf {
namespace {

// A pass takes a second; walks end when the time is up, as an observer would end them.
class TimedWorld final : public World {
 public:
  explicit TimedWorld(World& world, double seconds)
      : deadline(seconds, [this] { return static_cast<double>(passes_); }), world_(world) {}
  Place root() const override { return world_.root(); }
  int actions() const override { return world_.actions(); }
  int model_of(int action) const override { return world_.model_of(action); }
  Outcome walk(const Trial& trial, int limit) override {
    int most = 0;
    while (most < limit) {
      ++most;
      ++passes_;
      if (deadline.over()) break;
    }
    Outcome outcome = world_.walk(trial, most);
    passes_ -= most - outcome.passes;
    return outcome;
  }
  Verdict judge(StateId end) override { return world_.judge(end); }

  Deadline deadline;

 private:
  World& world_;
  long passes_ = 0;
};

Solution timed(const Scenario& scenario, double seconds) {
  TableWorld table(scenario.actions, scenario.window, scenario.ratios, scenario.rewards);
  TimedWorld world(table, seconds);
  RolloutCache known;
  UnMaskFork search(scenario.actions, table.root(), scenario.search, known);
  SolveOptions limits = scenario.limits;
  limits.deadline = &world.deadline;
  return solve(search, world, known, limits);
}

void expect_same(const Solution& one, const Solution& other, long passes) {
  EXPECT_EQ(one.ledger.nfe, other.ledger.nfe) << passes;
  EXPECT_EQ(one.ledger.misses, other.ledger.misses) << passes;
  EXPECT_EQ(one.ledger.hits, other.ledger.hits) << passes;
  EXPECT_EQ(one.best->actions, other.best->actions) << passes;
  EXPECT_EQ(one.best->complete, other.best->complete) << passes;
  EXPECT_EQ(one.best->iteration, other.best->iteration) << passes;
}

TEST(Deadline, EndsASearchAsABudgetOfItsPassesWould) {
  Scenario scenario{.window = 40, .rewards = uniform_rewards(5)};
  scenario.limits.budget = 100000;
  for (long passes = 1; passes < 400; ++passes) {
    const Solution by_time = timed(scenario, static_cast<double>(passes));
    EXPECT_EQ(by_time.stopped, Stop::kTime);
    Scenario budgeted = scenario;
    budgeted.limits.budget = passes;
    expect_same(by_time, Play(budgeted).solution, passes);
  }
}

TEST(Deadline, LeavesRolloutsToTheBudgetPolicy) {
  Scenario scenario{.window = 40, .rewards = uniform_rewards(5)};
  scenario.limits = {.budget = 100000, .policy = BudgetPolicy::kSkip};
  const Solution skipped = timed(scenario, 50);
  EXPECT_EQ(skipped.stopped, Stop::kTime);
  EXPECT_EQ(skipped.ledger.misses, 1) << "what was not finished is left out";
  EXPECT_TRUE(skipped.best->complete);
}

TEST(Deadline, GivesSmallerBudgetsInsideTheLastRolloutTheirCut) {
  Scenario scenario{.window = 40, .rewards = uniform_rewards(5)};
  scenario.limits = {.budget = 1000, .curve = {50, 60, 500}};
  const Solution solution = timed(scenario, 70);
  ASSERT_EQ(solution.curve.size(), 3);
  EXPECT_EQ(solution.curve[0].ledger.nfe, 50);
  EXPECT_EQ(solution.curve[1].ledger.nfe, 60);
  EXPECT_EQ(solution.curve[2].ledger.nfe, 70);
  EXPECT_EQ(solution.curve[2].stopped, Stop::kTime);
}

TEST(Deadline, CountsFromTheFirstPassAndWhatEarlierRunsTook) {
  using namespace std::chrono_literals;
  double earlier = 0;
  Deadline deadline(0.5, [&] { return earlier; });
  std::this_thread::sleep_for(600ms);
  EXPECT_FALSE(deadline.over()) << "nothing has begun";
  deadline.begin();
  EXPECT_FALSE(deadline.over());
  std::this_thread::sleep_for(600ms);
  EXPECT_TRUE(deadline.over());
  {
    const Deadline::Extension extension(&deadline);
    EXPECT_FALSE(deadline.over());
  }
  EXPECT_TRUE(deadline.over());
  Deadline resumed(1000, [&] { return earlier; });
  resumed.begin();
  EXPECT_FALSE(resumed.over());
  earlier = 1000;
  EXPECT_TRUE(resumed.over());
}

}  // namespace
}  // namespace umf
