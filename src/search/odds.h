// Candidates by their chance of success over their cost (docs/algorithm.md#odds).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/odds_table.h"
#include "search/search_setup.h"
#include "search/unmaskfork.h"

namespace umf {

struct OddsOptions {
  std::string order = "odds", table;
  bool no_reopening = false, dovetail = false;
  int depth = 3;
  template <class Visitor>
  void visit(Visitor&& field) {
    field(order, "order", "odds, or for comparison random or age");
    field(table, "table", "a file of odds learned elsewhere; without it a documented default");
    field(no_reopening, "no-reopening", "open no line of a finished text again");
    field(depth, "depth", "how often a text may be opened again");
    field(dovetail, "dovetail", "every other rollout is unmaskfork's");
  }
};

// Whole answers of every action; from every checkpoint that a rollout passed, a switch to each
// other action; from every end, its openings, for each other action. The next one has the largest
// p / c: its probability of success by the table over the passes that it will probably take; of
// equals the oldest. A value: a copy goes its own way. One thread at a time.
class Odds final : public Search {
 public:
  using Options = OddsOptions;
  static constexpr SearchFacts kFacts{
      "odds", "the candidate with the best chance per pass next: answers, switches, re-openings"};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<Odds>(setup);
  }

  explicit Odds(const SearchSetup& setup);

  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
  bool wants_openings() const override { return !options_.no_reopening; }
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;
  int nodes() const override { return 1 + told_; }
  int depth() const override { return deepest_; }

 private:
  struct Candidate {
    Trial trial;
    CandidateTraits traits;
    int masks = 0, depth = 0;
    double probability = 0;
    bool done = false;
  };
  struct Pace {
    double masks = 32, passes = 8;  // before anything was seen: four cells a pass
  };

  void add(StateId from, int masks, const CandidateTraits& traits, int depth);
  double score(const Candidate& candidate, std::size_t number) const;
  std::optional<std::size_t> best() const;
  void learn(const Candidate& from, const Outcome& outcome);

  int actions_;
  std::uint64_t seed_;
  OddsOptions options_;
  OddsTable table_;
  std::vector<Candidate> candidates_;        // the oldest first
  std::set<std::pair<StateId, int>> known_;  // (state, action) that are or were candidates
  std::vector<Pace> paces_;                  // by action
  std::optional<UnMaskFork> other_;          // that takes turns
  std::optional<std::size_t> asked_;
  bool others_turn_ = false;
  int told_ = 0, deepest_ = 0;
};

}  // namespace umf
