// The searches by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "search/ab_mcts_a.h"
#include "search/ab_mcts_m.h"
#include "search/best_of_n.h"
#include "search/dts.h"
#include "search/pair.h"
#include "search/unmaskfork.h"

namespace umf {

class RolloutCache;

// Each search's own; a run reads those of the search it names.
struct SearchOptions {
  UnMaskForkOptions unmaskfork;
  BestOfNOptions best_of_n;
  PairOptions pair;
  DtsOptions dts;
  AbMctsMOptions ab_mcts_m;
  AbMctsAOptions ab_mcts_a;
};

// What a search is made from.
struct SearchSetup {
  Place root;
  int actions = 1;
  std::uint64_t seed = 0;
  SearchOptions options;
  const RolloutCache* cache = nullptr;  // of the run; outlives the search
  int first_action = 0;                 // what the cache calls action 0 of this search
};

struct SearchEntry {
  std::string_view name, summary;
  std::unique_ptr<Search> (*make)(const SearchSetup& setup);
  // Whether a larger budget begins as a smaller one does, so that one run gives both.
  bool anytime = true;
};

// The first is the default.
std::span<const SearchEntry> searches();

// Throws Error with the known names, or when the search cannot take the setup.
std::unique_ptr<Search> make_search(std::string_view name, const SearchSetup& setup);

}  // namespace umf
