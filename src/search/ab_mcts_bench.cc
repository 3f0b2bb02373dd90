// How long one decision of AB-MCTS-M takes with 500 observations: fit the model, draw for every
// child and for generating.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "search/ab_mcts_m.h"
#include "search/hierarchical_model.h"
#include "search/search_testing.h"
#include "support/bench_timing.h"

namespace umf {
namespace {

// Groups of the given sizes with scores between 0 and 1.
std::vector<Group> groups_of(const std::vector<int>& sizes) {
  Draws draws(1, 0);
  std::vector<Group> groups;
  for (const int size : sizes) {
    std::vector<double> scores;
    for (int i = 0; i < size; ++i) scores.push_back(draws.uniform());
    groups.push_back(summarise(scores));
  }
  return groups;
}

double decide(const std::vector<Group>& groups, Draws& draws) {
  const HierarchicalModel model(groups);
  double best = model.draw_unseen(draws);
  for (int i = 0; i < groups.size(); ++i) best = std::max(best, model.draw(i, draws));
  return best;
}

void measure(const char* name, const std::vector<int>& sizes) {
  const std::vector<Group> groups = groups_of(sizes);
  const int repeats = 200;
  Draws draws(1, 1);
  double sum = 0;
  const double seconds = seconds_of([&] {
    for (int i = 0; i < repeats; ++i) sum += decide(groups, draws);
  });
  fmt::print("{:<28} {:7.3f} ms   (mean of the best draws {:.3f})\n", name, 1e3 * seconds / repeats,
             sum / repeats);
}

// Whole asks, walk and choice of the action included, in a tree that grew by itself.
void measure_asks() {
  ToyWorld world;
  AbMctsM search(world.root(), 2, 1, {});
  run(search, world, 500);
  const int asks = 100;
  double seconds = 0;
  for (int i = 0; i < asks; ++i) {
    seconds += seconds_of([&] { search.ask(); });
    run(search, world, 1);
  }
  fmt::print("{:<28} {:7.3f} ms\n", "ask after 500 generations", 1e3 * seconds / asks);
}

}  // namespace
}  // namespace umf

int main() {
  std::vector<int>
      distinct;  // 1 + 2 + ... + 31 = 496: the most different group sizes, the slowest case
  for (int size = 1; size <= 31; ++size) distinct.push_back(size);
  umf::measure("20 children of 25", std::vector<int>(20, 25));
  umf::measure("500 children of 1", std::vector<int>(500, 1));
  umf::measure("31 children of 1 to 31", distinct);
  umf::measure_asks();
}
