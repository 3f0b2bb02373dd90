// Simulations of parallel commits, held to searches through the decoder whose cost they were told.
#include <gtest/gtest.h>

#include <climits>
#include <map>
#include <numeric>

#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "solve/simulation.h"
#include "support/search_worlds.h"

namespace umf {
namespace {

constexpr int kWindow = 96;
const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
const std::vector<int> kLevelMasks = masks_of_levels(kWindow, kRatios);
const int kLevels = static_cast<int>(kLevelMasks.size()) - 1;

// Writes from the left, letters by chance, and is sure of the next 1 to `most` cells.
class SteadyModel final : public Model {
 public:
  SteadyModel(const Lexicon& lexicon, std::uint64_t salt, unsigned most)
      : info_(wishing_model(lexicon, salt).info()),
        letter_(lexicon.tokenizer->encode_bytes("a")[0]),
        salt_(salt),
        most_(most) {}
  const ModelInfo& info() const override { return info_; }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    std::vector<std::vector<Prediction>> answers;
    for (const Query& query : batch) {
      const NoiseKey key = noise_key(salt_, 0, query.tokens);
      const unsigned sure = 1 + noise_word(key, 0, 0) % most_;
      auto& answer = answers.emplace_back();
      for (const int position : query.positions) {
        const float probability = answer.size() < sure ? 0.99f : 0.5f;
        const auto token = static_cast<Token>(letter_ + noise_word(key, position, 1) % 20);
        answer.push_back({.token = token, .confidence = probability, .probability = probability});
      }
    }
    return answers;
  }

 private:
  ModelInfo info_;
  Token letter_;
  std::uint64_t salt_;
  unsigned most_;
};

// The decoder, with a reward that a table has, too: that of the actions at the levels passed.
class SequenceWorld final : public World {
 public:
  SequenceWorld(Model& first, Model& second, float tau, const std::vector<Token>& prompt,
                TableWorld::Rewards rewards)
      : walks_({{&first, dream_lexicon().tokenizer, prompt},
                {&second, llada_lexicon().tokenizer, prompt}},
               {{.model = 0, .commit = {CommitRule::Kind::kTau, tau}},
                {.model = 1, .commit = {CommitRule::Kind::kTau, tau}}},
               {.window = kWindow, .ratios = kRatios}),
        rewards_(std::move(rewards)) {}

  Place root() const override { return {0, kWindow}; }
  int actions() const override { return 2; }
  int model_of(int action) const override { return action; }
  bool commits_one(int) const override { return false; }
  Outcome walk(const Trial& trial, int limit) override {
    Outcome outcome = walks_.walk(trial, limit);
    for (const auto& [state, masks] : outcome.path) {
      std::vector<int> levels = levels_[trial.from];
      while (kLevelMasks[levels.size() + 1] >= masks && std::cmp_less(levels.size(), kLevels))
        levels.push_back(trial.action);
      levels_.try_emplace(state, levels);
    }
    return outcome;
  }
  Verdict judge(StateId end) override {
    const std::vector<int>& levels = levels_.at(end);
    return {std::cmp_equal(levels.size(), kLevels) ? rewards_(levels) : 0.0, ""};
  }

 private:
  NumberedWalks walks_;
  TableWorld::Rewards rewards_;
  std::map<StateId, std::vector<int>> levels_ = {{0, {}}};
};

// What the tables of a run would report, summed over problems.
struct Counts {
  double nfe = 0, hits = 0, misses = 0, switches = 0, saved = 0;
  void add(const Ledger& ledger) {
    nfe += static_cast<double>(ledger.nfe);
    hits += static_cast<double>(ledger.hits);
    misses += static_cast<double>(ledger.misses);
    switches += static_cast<double>(ledger.switches);
    saved += static_cast<double>(ledger.saved_capped);
  }
};

void expect_near(const Counts& simulated, const Counts& real, double share) {
  EXPECT_NEAR(simulated.nfe, real.nfe, share * real.nfe);
  EXPECT_NEAR(simulated.hits, real.hits, share * real.hits);
  EXPECT_NEAR(simulated.misses, real.misses, share * real.misses);
  EXPECT_NEAR(simulated.switches, real.switches, share * real.switches);
  EXPECT_NEAR(simulated.saved, real.saved, share * real.saved);
}

// Two models, and what their plain decodings cost on average.
struct Duo {
  Model& first;
  Model& second;
  float tau;
  int problems;

  SequenceWorld world(int problem, TableWorld::Rewards rewards) const {
    return {first, second, tau, {10 + problem % 16, 10 + problem / 16}, std::move(rewards)};
  }
  // By action: the passes that end on the way to each level's target.
  std::vector<std::vector<double>> level_passes() const {
    std::vector<std::vector<double>> mean(2, std::vector<double>(kLevels, 0.0));
    for (int problem = 0; problem < problems; ++problem) {
      SequenceWorld real = world(problem, zero_rewards());
      for (int action = 0; action < 2; ++action)
        add_passes(real.walk({0, action}, INT_MAX), mean[action]);
    }
    return mean;
  }
  void add_passes(const Outcome& walk, std::vector<double>& mean) const {
    int level = 0, passes = 0;
    for (std::size_t i = 0; i < walk.path.size(); ++i) {
      mean[level] += static_cast<double>(walk.passes_at[i] - passes) / problems;
      passes = walk.passes_at[i];
      while (level < kLevels && kLevelMasks[level + 1] >= walk.path[i].masks) ++level;
    }
  }
};

void expect_simulated(const Duo& duo, const std::vector<PassCosts>& costs, long budget) {
  SCOPED_TRACE(budget);
  const SolveOptions limits{.budget = budget, .stop_at_reward = 0.99};
  Counts real, simulated;
  for (int problem = 0; problem < duo.problems; ++problem) {
    const TableWorld::Rewards rewards = uniform_rewards(problem + 1);
    SequenceWorld world = duo.world(problem, rewards);
    RolloutCache known;
    UnMaskFork search(2, world.root(), {}, known);
    real.add(solve(search, world, known, limits).ledger);
    TableWorld table(2, kWindow, kRatios, rewards, costs);
    simulated.add(simulate(table, {}, limits).solution.ledger);
  }
  expect_near(simulated, real, 0.05);
}

TEST(SimulatedCommits, ArePredictedWithinFivePercentFromCellsPerPass) {
  SteadyModel first(dream_lexicon(), 3, 6), second(llada_lexicon(), 4, 3);
  const Duo duo{first, second, 0.9f, 160};
  std::vector<PassCosts> costs;
  for (const std::vector<double>& passes : duo.level_passes()) {
    const double rate = kWindow / std::accumulate(passes.begin(), passes.end(), 0.0);
    EXPECT_GT(rate, 1.9);
    costs.push_back(costs_at(rate, kLevelMasks));
  }
  for (const int windows : {1, 2, 4}) expect_simulated(duo, costs, long{windows} * kWindow);
}

// These commit a share of the masks in every pass: most of the first levels at once.
TEST(SimulatedCommits, ArePredictedWithinFivePercentFromThePassesOfEachLevel) {
  ScriptedModel first = wishing_model(dream_lexicon(), 3),
                second = wishing_model(llada_lexicon(), 4);
  const Duo duo{first, second, 0.995f, 60};
  std::vector<PassCosts> costs;
  for (const std::vector<double>& passes : duo.level_passes()) {
    EXPECT_LT(passes[1], 0.9) << "no level is jumped: the test shows nothing";
    costs.emplace_back(kLevelMasks, passes);
  }
  expect_simulated(duo, costs, 2L * kWindow);
}

}  // namespace
}  // namespace umf
