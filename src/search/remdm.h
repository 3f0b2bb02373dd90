// ReMDM: one trajectory whose action masks cells again, and no reward is used on the way
// (docs/algorithm.md#remdm).
#pragma once

#include "search/best_of_n.h"

namespace umf {

struct Remdm {
  static constexpr SearchFacts kFacts{
      "remdm",
      "ReMDM: one trajectory that masks cells again, as long as the budget",
      {.anytime = false, .one_action = true, .remasks = true}};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<BestOfN>(setup.root, 0, BestOfNOptions{.samples = 1});
  }
};

}  // namespace umf
