#include "solve/searches.h"

#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"
#include "base/nearest.h"
#include "search/ab_mcts_a.h"
#include "search/ab_mcts_m.h"
#include "search/best_of_n.h"
#include "search/dts.h"
#include "search/odds.h"
#include "search/pair.h"
#include "search/remdm.h"
#include "search/unmaskfork.h"
#include "solve/treasure.h"

namespace umf {
namespace {

constexpr SearchEntry kSearches[] = {
    entry_of<UnMaskFork>(), entry_of<BestOfN>(),  entry_of<Pair>(),
    entry_of<Dts>(),        entry_of<AbMctsM>(),  entry_of<AbMctsA>(),
    entry_of<Remdm>(),      entry_of<Treasure>(), entry_of<Odds>(),
};

void check_actions(const SearchEntry& entry, const SearchSetup& setup) {
  if (!entry.facts.traits.one_action || setup.actions == 1) return;
  throw Error(fmt::format("search '{}' takes one action, and {} were given. Give one{}.",
                          entry.facts.name, setup.actions,
                          entry.make != nullptr ? ", or use 'pair' for two models" : ""));
}

std::unique_ptr<Search> make_from(const SearchEntry& entry, const SearchSetup& setup) {
  check_actions(entry, setup);
  if (entry.make == nullptr)
    throw Error(fmt::format("search '{}' goes pass by pass and cannot be part of another",
                            entry.facts.name));
  SearchSetup complete = setup;
  complete.make_search = make_search;
  return entry.make(complete);
}

}  // namespace

std::span<const SearchEntry> searches() { return kSearches; }

std::string default_search() { return std::string(kSearches[0].facts.name); }

const SearchEntry& find_search(std::string_view name) {
  std::vector<std::string> known;
  for (const SearchEntry& entry : kSearches) {
    if (entry.facts.name == name) return entry;
    known.emplace_back(entry.facts.name);
  }
  const std::string near = nearest(std::string(name), known);
  throw Error(near.empty()
                  ? fmt::format("unknown search '{}'. Known are {}.", name, fmt::join(known, ", "))
                  : fmt::format("unknown search '{}'. Did you mean {}?", name, near));
}

const SearchEntry& working_search(const SearchEntry& entry, const ChosenOptions& options) {
  return entry.method == nullptr ? entry : find_search(entry.method(options));
}

std::unique_ptr<Search> make_search(std::string_view name, const SearchSetup& setup) {
  return make_from(find_search(name), setup);
}

void check_search(const SearchEntry& entry, const SearchSetup& setup) {
  check_actions(entry, setup);
  if (entry.make == nullptr) return;
  const RolloutCache none;
  SearchSetup probe = setup;
  probe.cache = &none;
  make_from(entry, probe);
}

Solution run_search(const SearchEntry& entry, SearchSetup setup, World& world,
                    const SolveOptions& limits, const Observer& observer,
                    const SearchBegun& begun) {
  if (entry.run != nullptr) return entry.run(world, setup, limits, observer);
  RolloutCache known;
  setup.cache = &known;
  const std::unique_ptr<Search> search = make_from(entry, setup);
  if (begun) begun(*search, known);
  return solve(*search, world, known, limits, observer);
}

}  // namespace umf
