// Synthetic rewards that resemble those of real problems; the families of the reference simulator.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <random>

#include "solve/table_world.h"

namespace umf {

// The same numbers with every standard library.
class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal(double mean, double deviation) {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return mean + deviation * radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

// A number drawn once per sequence, in the order of asking.
class Memo {
 public:
  template <class Draw>
  double get(std::span<const int> key, Draw&& draw) {
    const auto [entry, is_new] = drawn_.try_emplace({key.begin(), key.end()});
    if (is_new) entry->second = draw();
    return entry->second;
  }

 private:
  std::map<std::vector<int>, double> drawn_;
};

// The share of 1 to 4 tests that pass. Quality is shared by prefixes: rollouts that part late are
// alike. The first action is the better one.
struct TestsFamily {
  double difficulty, noise = 1;

  TableWorld::Rewards draw(std::uint64_t seed) const {
    struct Problem {
      explicit Problem(std::uint64_t seed) : random(seed) {}
      TestRandom random;
      Memo deviations;
      double difficulty = 0;
      std::vector<double> tests;
    };
    auto problem = std::make_shared<Problem>(seed);
    problem->difficulty = problem->random.normal(difficulty, 1.2);
    const double share = problem->random.uniform();
    const int tests = share < 0.1 ? 1 : share < 0.45 ? 2 : share < 0.85 ? 3 : 4;
    for (int i = 0; i < tests; ++i) problem->tests.push_back(problem->random.normal(0, 0.6));
    return [problem, noise = noise](std::span<const int> actions) {
      constexpr double kDecay = 0.8, kGap = -0.8;
      const double total = (1 - std::pow(kDecay, actions.size())) / (1 - kDecay);
      double quality = -problem->difficulty;
      for (std::size_t level = 0; level < actions.size(); ++level) {
        const double weight = std::pow(kDecay, level) / total;
        const double deviation = problem->deviations.get(
            actions.first(level + 1), [&] { return problem->random.normal(0, 1); });
        quality +=
            weight * (actions[level] == 0 ? 0 : kGap) + noise * std::sqrt(weight) * deviation;
      }
      int passed = 0;
      for (const double test : problem->tests) passed += quality + test > 0;
      return static_cast<double>(passed) / problem->tests.size();
    };
  }
};

}  // namespace umf
