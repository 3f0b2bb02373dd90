// How fast the tree grows, and what a node takes: `search_bench [nodes]`, a million by default.
#include <fmt/core.h>

#include <cstdlib>
#include <vector>

#include "search/unmaskfork.h"
#include "support/bench_timing.h"

namespace umf {
namespace {

// Rollouts through `levels` checkpoints, each with states of its own. Rewards are almost constant,
// which keeps the tree balanced: the most comparisons per iteration.
class Rollouts {
 public:
  explicit Rollouts(int levels) : levels_(levels), level_(1, 0) {}

  Outcome run(const Trial& trial) {
    Outcome outcome;
    for (int level = level_[trial.from] + 1; level <= levels_; ++level) {
      outcome.path.push_back({static_cast<StateId>(level_.size()), levels_ - level});
      level_.push_back(static_cast<std::uint8_t>(level));
    }
    outcome.reward = (level_.size() * 2654435761u >> 16 & 1) * 0.01;
    return outcome;
  }

 private:
  int levels_;
  std::vector<std::uint8_t> level_;  // of each state
};

void measure(int actions, int levels, int nodes) {
  Rollouts rollouts(levels);
  RolloutCache known;
  UnMaskFork search(actions, {0, levels}, {}, known);
  const auto start = BenchClock::now();
  while (search.nodes() < nodes) {
    const std::optional<Trial> trial = search.ask();
    if (!trial) break;
    std::optional<Outcome> outcome = known.find(trial->from, trial->action);
    if (!outcome) {
      outcome = rollouts.run(*trial);
      known.insert(*trial, *outcome);
    }
    search.tell(*trial, *outcome);
  }
  const double seconds = seconds_since(start);
  fmt::print("{} actions, {} levels: {} nodes, depth {}, {:.0f} iterations/s, {:.0f} bytes/node\n",
             actions, levels, search.nodes(), search.depth(), (search.nodes() - 1) / seconds,
             static_cast<double>(search.bytes()) / search.nodes());
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  umf::measure(2, 24, nodes);
  umf::measure(3, 16, nodes);
  umf::measure(4, 12, nodes);
}
