// How often a kind of candidate succeeds: a frozen table, learned on other problems
// (docs/algorithm.md#odds).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace umf {

// Where a candidate comes from.
enum class CandidateKind : std::uint8_t { kWhole, kSwitch, kNamed, kLine, kBorrowed, kSuffix };
inline constexpr int kCandidateKinds = 6;
const char* name_of(CandidateKind kind);

struct CandidateTraits {
  CandidateKind kind = CandidateKind::kWhole;
  int from = -1, to = 0;  // actions; from: of the text it departs from, -1 for none
  int level = 0;          // of a switch: how many checkpoints were passed before it
  int reward = 0;         // of the text it departs from, in thirds: 0 none, 1 some, 2 most tests
};

// From the general to the special: kind; with `to`; with `from`; with level and reward. A special
// count corrects the estimate of the general one, which weighs as much as four tries.
class OddsTable {
 public:
  OddsTable();  // the documented default: kinds alone
  // A file of {"KEY": [tried, solved], ...}, as tools/evidence/odds.py writes it. Throws Error.
  static OddsTable load(const std::string& path);

  double probability(const CandidateTraits& traits) const;

 private:
  struct Count {
    double tried = 0, solved = 0;
  };
  std::map<std::string, Count, std::less<>> counts_;
};

}  // namespace umf
