// Simulations of parallel commits, held to searches through the decoder whose cost they were told.
#include <gtest/gtest.h>

#include <climits>
#include <functional>
#include <map>
#include <numeric>

#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "solve/simulation.h"
#include "support/search_worlds.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
const int kLevels = static_cast<int>(kRatios.size()) + 1;

struct Window {
  int cells;
  std::vector<int> level_masks = masks_of_levels(cells, kRatios);
};

// Writes from the left, letters by chance, and is sure of as many of the next cells as its pace
// says of the cells that are left, the prompt and a number drawn for the state.
class PacedModel final : public Model {
 public:
  using Pace = std::function<unsigned(const Query& query, unsigned drawn)>;
  PacedModel(const Lexicon& lexicon, std::uint64_t salt, Pace pace)
      : info_(wishing_model(lexicon, salt).info()),
        letter_(lexicon.tokenizer->encode_bytes("a")[0]),
        salt_(salt),
        pace_(std::move(pace)) {}
  const ModelInfo& info() const override { return info_; }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    std::vector<std::vector<Prediction>> answers;
    for (const Query& query : batch) {
      const NoiseKey key = noise_key(salt_, 0, query.tokens);
      const unsigned sure = pace_(query, noise_word(key, 0, 0));
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
  Pace pace_;
};

// 1 to `most` cells in a pass, wherever it is.
PacedModel::Pace steady(unsigned most) {
  return [most](const Query&, unsigned drawn) { return 1 + drawn % most; };
}

// As trained models do it: mostly one cell in a pass, at times a run of them; longer runs where
// little is left, and three times as long on the easiest problems as on the hardest.
PacedModel::Pace uneven(unsigned most) {
  return [most](const Query& query, unsigned drawn) {
    if (drawn % 3 != 0) return 1u;
    const unsigned easy = 1 + query.tokens.front() % 3;
    return 1 + drawn / 3 % (most * easy * (query.positions.size() < 200 ? 2 : 1));
  };
}

// The decoder, with a reward that a table has, too: that of the actions at the levels passed.
class SequenceWorld final : public World {
 public:
  SequenceWorld(Model& first, Model& second, float tau, const Window& window,
                const std::vector<Token>& prompt, TableWorld::Rewards rewards)
      : walks_({{&first, dream_lexicon().tokenizer, prompt},
                {&second, llada_lexicon().tokenizer, prompt}},
               {{.model = 0, .commit = {CommitRule::Kind::kTau, tau}},
                {.model = 1, .commit = {CommitRule::Kind::kTau, tau}}},
               {.window = window.cells, .ratios = kRatios}),
        window_(window),
        rewards_(std::move(rewards)) {}

  Place root() const override { return {0, window_.cells}; }
  int actions() const override { return 2; }
  int model_of(int action) const override { return action; }
  bool commits_one(int) const override { return false; }
  Outcome walk(const Trial& trial, int limit) override {
    Outcome outcome = walks_.walk(trial, limit);
    for (const auto& [state, masks] : outcome.path) {
      std::vector<int> levels = levels_[trial.from];
      while (window_.level_masks[levels.size() + 1] >= masks &&
             std::cmp_less(levels.size(), kLevels))
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
  const Window& window_;
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
  Window window = {96};

  SequenceWorld world(int problem, TableWorld::Rewards rewards) const {
    return {first, second, tau, window, {10 + problem % 16, 10 + problem / 16}, std::move(rewards)};
  }
  // Of plain decodings of the problem, by action: the passes that end on the way to each level's
  // target.
  std::vector<std::vector<double>> level_passes(int problem) const {
    std::vector<std::vector<double>> passes(2, std::vector<double>(kLevels, 0.0));
    SequenceWorld real = world(problem, zero_rewards());
    for (int action = 0; action < 2; ++action) {
      const Outcome walk = real.walk({0, action}, INT_MAX);
      int level = 0, before = 0;
      for (std::size_t i = 0; i < walk.path.size(); ++i) {
        passes[action][level] += walk.passes_at[i] - before;
        before = walk.passes_at[i];
        while (level < kLevels && window.level_masks[level + 1] >= walk.path[i].masks) ++level;
      }
    }
    return passes;
  }
  // Their averages.
  std::vector<std::vector<double>> mean_level_passes() const {
    std::vector<std::vector<double>> mean(2, std::vector<double>(kLevels, 0.0));
    for (int problem = 0; problem < problems; ++problem) {
      const auto own = level_passes(problem);
      for (int action = 0; action < 2; ++action)
        for (int level = 0; level < kLevels; ++level)
          mean[action][level] += own[action][level] / problems;
    }
    return mean;
  }
  // What is told of an action: its cells per pass.
  PassCosts at_rate(const std::vector<double>& passes) const {
    const double rate = window.cells / std::accumulate(passes.begin(), passes.end(), 0.0);
    EXPECT_GT(rate, 1.2);
    return costs_at(rate, window.level_masks);
  }
};

// By problem and action.
using Costs = std::function<std::vector<PassCosts>(int problem)>;

void expect_simulated(const Duo& duo, const Costs& costs, long budget) {
  SCOPED_TRACE(budget);
  const SolveOptions limits{.budget = budget, .stop_at_reward = 0.99};
  Counts real, simulated;
  for (int problem = 0; problem < duo.problems; ++problem) {
    const TableWorld::Rewards rewards = uniform_rewards(problem + 1);
    SequenceWorld world = duo.world(problem, rewards);
    RolloutCache known;
    UnMaskFork search(2, world.root(), {}, known);
    real.add(solve(search, world, known, limits).ledger);
    TableWorld table(2, duo.window.cells, kRatios, rewards, costs(problem));
    simulated.add(simulate(table, {}, limits).solution.ledger);
  }
  expect_near(simulated, real, 0.05);
}

TEST(SimulatedCommits, ArePredictedWithinFivePercentFromCellsPerPass) {
  PacedModel first(dream_lexicon(), 3, steady(6)), second(llada_lexicon(), 4, steady(3));
  const Duo duo{first, second, 0.9f, 160};
  std::vector<PassCosts> costs;
  for (const auto& passes : duo.mean_level_passes()) costs.push_back(duo.at_rate(passes));
  for (const int windows : {1, 2, 4})
    expect_simulated(
        duo, [&](int) { return costs; }, long{windows} * duo.window.cells);
}

// At the size that people use, where problems differ: from the cells per pass of each problem.
TEST(SimulatedCommits, ArePredictedWithinFivePercentAtAWindowOf768) {
  PacedModel first(dream_lexicon(), 5, uneven(4)), second(llada_lexicon(), 6, uneven(2));
  const Duo duo{first, second, 0.9f, 9, {768}};
  const Costs own = [&](int problem) {
    std::vector<PassCosts> costs;
    for (const auto& passes : duo.level_passes(problem)) costs.push_back(duo.at_rate(passes));
    return costs;
  };
  for (const int windows : {1, 4}) expect_simulated(duo, own, long{windows} * duo.window.cells);
}

// These commit a share of the masks in every pass: most of the first levels at once.
TEST(SimulatedCommits, ArePredictedWithinFivePercentFromThePassesOfEachLevel) {
  ScriptedModel first = wishing_model(dream_lexicon(), 3),
                second = wishing_model(llada_lexicon(), 4);
  const Duo duo{first, second, 0.995f, 60};
  std::vector<PassCosts> costs;
  for (const auto& passes : duo.mean_level_passes()) {
    EXPECT_LT(passes[1], 0.9) << "no level is jumped: the test shows nothing";
    costs.emplace_back(duo.window.level_masks, passes);
  }
  expect_simulated(
      duo, [&](int) { return costs; }, 2L * duo.window.cells);
}

}  // namespace
}  // namespace umf
