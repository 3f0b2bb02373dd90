// The search that CONTRIBUTING.md shows, as it stands there.
#include <gtest/gtest.h>

#include <optional>

#include "solve/searches.h"
#include "solve/table_world.h"

namespace umf {
namespace {

#include "contributing_search.h"

TEST(Contributing, TheSearchInTheGuideIsComplete) {
  constexpr SearchEntry entry = entry_of<EachOnce>();
  EXPECT_EQ(entry.facts.name, "each-once");
  const int ratios[] = {500};
  TableWorld world(3, 8, ratios, [](std::span<const int> actions) { return actions[0] / 4.0; });
  const Solution solution = run_search(entry, {.root = world.root(), .actions = 3}, world, {});
  EXPECT_EQ(solution.stopped, Stop::kExhausted);
  EXPECT_EQ(solution.ledger.misses, 3);
  EXPECT_EQ(solution.best->reward, 0.5);
}

}  // namespace
}  // namespace umf
