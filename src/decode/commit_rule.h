// How many cells a pass commits: one, or all that the model is sure of
// (docs/algorithm.md#parallel-commits).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace umf {

struct CommitRule {
  enum class Kind : std::uint8_t {
    kOne,      // the best cell by the action's strategy
    kTau,      // every cell whose probability is at least the bound
    kFrechet,  // the surest cells, as many as are surely right together
  };
  Kind kind = Kind::kOne;
  float bound = 0;
  auto operator<=>(const CommitRule&) const = default;
};

// "one", "tau:0.95" or "frechet:0.25". Throws Error.
CommitRule parse_commit_rule(const std::string& text);
std::string name_of(const CommitRule& rule);

// What a pass says about a mask that it may commit.
struct Offer {
  float probability = 0;  // of the candidate at temperature 1
  bool ends = false;      // the candidate ends the text, or pads it
};

// Which of them may be committed together, in ascending order: text, and ends where there is none.
std::vector<int> text_first(std::span<const Offer> offers);

// Which of these the rule is sure of, in ascending order. Depends on nothing else. `one` is never
// sure.
std::vector<int> sure_offers(const CommitRule& rule, std::span<const Offer> offers);

}  // namespace umf
