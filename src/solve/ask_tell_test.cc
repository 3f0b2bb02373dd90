#include "solve/ask_tell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "solve/table_world.h"

namespace umf {
namespace {

constexpr int kSteps = 8;

// Every step is a level.
TableWorld make_world() {
  const std::vector<int> ratios = {875, 750, 625, 500, 375, 250, 125};
  return {2, kSteps, ratios, [](std::span<const int> actions) {
            unsigned hash = 7;
            for (const int action : actions) hash = hash * 31 + static_cast<unsigned>(action);
            return (hash * 2654435761u >> 8) % 101 / 101.0;
          }};
}

AskTellOptions options(const std::string& search = "unmaskfork") {
  return {.search = search,
          .actions = 2,
          .steps = kSteps,
          .seed = 3,
          .solve = {.budget = 200, .policy = BudgetPolicy::kFinish}};
}

void walk_and_tell(AskTell& search, TableWorld& world, const AskTell::Asked& asked) {
  const Outcome outcome = world.walk(asked.trial, asked.limit);
  std::vector<StateId> states;
  for (const Place& place : outcome.path) states.push_back(place.state);
  search.tell(asked.trial, states, world.judge(states.back()));
}

// So many at once, told in the opposite order.
Solution in_batches(int at_once, const AskTellOptions& options) {
  TableWorld world = make_world();
  AskTell search(options);
  for (auto asked = search.ask(at_once); !asked.empty(); asked = search.ask(at_once)) {
    std::ranges::reverse(asked);
    for (const AskTell::Asked& one : asked) walk_and_tell(search, world, one);
  }
  EXPECT_TRUE(search.ended());
  return search.solution();
}

void expect_same(const Solution& one, const Solution& other) {
  ASSERT_TRUE(one.best && other.best);
  EXPECT_EQ(one.best->reward, other.best->reward);
  EXPECT_EQ(one.best->actions, other.best->actions);
  EXPECT_EQ(one.best->iteration, other.best->iteration);
  EXPECT_EQ(one.ledger.nfe, other.ledger.nfe);
  EXPECT_EQ(one.ledger.hits, other.ledger.hits);
  EXPECT_EQ(one.ledger.misses, other.ledger.misses);
  EXPECT_EQ(one.stopped, other.stopped);
}

TEST(AskTell, FindsWhatSolveFinds) {
  for (const std::string name : {"unmaskfork", "pair", "ab-mcts-a"}) {
    SCOPED_TRACE(name);
    TableWorld world = make_world();
    const AskTellOptions asked = options(name);
    const Solution solved = run_search(find_search(name),
                                       {.root = world.root(),
                                        .actions = asked.actions,
                                        .seed = asked.seed,
                                        .budget = asked.solve.budget},
                                       world, asked.solve);
    expect_same(in_batches(1, asked), solved);
  }
}

TEST(AskTell, BatchesFindTheSame) {
  const Solution alone = in_batches(1, options());
  for (const int at_once : {2, 5}) expect_same(in_batches(at_once, options()), alone);
}

TEST(AskTell, AskingAgainGivesTheSameAgain) {
  AskTell search(options());
  const auto first = search.ask(3), again = search.ask(3);
  ASSERT_GT(first.size(), 1u);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].trial, again[i].trial);
}

TEST(AskTell, WhatContradictsIsRefusedAndMayBeToldAnew) {
  AskTell search(options());
  const Trial trial = search.ask().front().trial;
  EXPECT_THROW(search.tell({.from = 0, .action = 1, .draw = 77}, {1}, {}), Error);
  EXPECT_THROW(search.tell(trial, {1, 2, 3}, {}), Error);                    // not to its end
  EXPECT_THROW(search.tell(trial, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {}), Error);  // beyond it
  EXPECT_THROW(search.tell(trial, {1, 2, 3, 4, 5, 6, 7, 0}, {}), Error);     // the root's id
  search.tell(trial, {1, 2, 3, 4, 5, 6, 7, 8}, {.reward = 0.5});
  const Trial next = search.ask().front().trial;
  EXPECT_THROW(search.tell(trial, {1, 2, 3, 4, 5, 6, 7, 8}, {}), Error);        // told already
  EXPECT_THROW(search.tell(next, {8, 11, 12, 13, 14, 15, 16, 17}, {}), Error);  // 8 was an end
}

TEST(AskTell, MayBeLeftAtAnyTime) {
  AskTell search(options());
  search.ask(4);
}

TEST(AskTell, ASearchThatGoesPassByPassIsRefused) {
  EXPECT_THROW(AskTell(options("treasure")), Error);
  EXPECT_THROW(AskTell(options("unmaskfrok")), Error);
}

}  // namespace
}  // namespace umf
