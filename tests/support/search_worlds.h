// Worlds and rewards for tests of the search: no models, every figure known.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include "solve/table_world.h"

namespace umf {

// Counts what the search makes a world do, and can break down.
class CountingWorld final : public World {
 public:
  explicit CountingWorld(World& world) : world_(world) {}
  Place root() const override { return world_.root(); }
  int actions() const override { return world_.actions(); }
  int model_of(int action) const override { return world_.model_of(action); }
  bool commits_one(int action) const override { return world_.commits_one(action); }
  Outcome walk(const Trial& trial, int limit) override {
    if (walks++ == fail_at_walk) throw std::runtime_error("the device is lost");
    Outcome outcome = world_.walk(trial, limit);
    passes += outcome.passes;
    return outcome;
  }
  Verdict judge(StateId end) override {
    ++judgements;
    judged_twice |= !judged_.insert(end).second;
    return world_.judge(end);
  }

  long passes = 0, walks = 0, judgements = 0, fail_at_walk = -1;
  bool judged_twice = false;

 private:
  World& world_;
  std::set<StateId> judged_;
};

// A number for a sequence of actions: pure, and different for every seed.
inline std::uint64_t hash_of(std::span<const int> actions, std::uint64_t seed) {
  std::uint64_t hash = seed * 0x9E3779B97F4A7C15u + 1;
  for (const int action : actions) {
    hash = (hash ^ (action + 1)) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  }
  hash *= 0x94D049BB133111EBu;
  return hash ^ hash >> 31;
}

inline double unit(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

inline TableWorld::Rewards uniform_rewards(std::uint64_t seed) {
  return [seed](std::span<const int> actions) { return unit(hash_of(actions, seed)); };
}
// Multiples of 1/8 in [0, 1/2]: ties are frequent and sums exact.
inline TableWorld::Rewards coarse_rewards(std::uint64_t seed) {
  return [seed](std::span<const int> actions) { return (hash_of(actions, seed) >> 20) % 5 / 8.0; };
}
inline TableWorld::Rewards zero_rewards() {
  return [](std::span<const int>) { return 0.0; };
}
// Everything a judge can come up with.
inline TableWorld::Rewards wild_rewards(std::uint64_t seed) {
  return [seed](std::span<const int> actions) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kWild[] = {
        std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, -3, 7, 1e300, 0.25, 0};
    const std::uint64_t hash = hash_of(actions, seed);
    return hash & 1 ? kWild[(hash >> 20) % 8] : unit(hash);
  };
}

}  // namespace umf
