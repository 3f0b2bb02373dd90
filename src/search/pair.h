// Pair: the same method once per model, each with half of the budget (docs/algorithm.md#pair).
#pragma once

#include <memory>
#include <string>

#include "search/search_setup.h"

namespace umf {

struct PairOptions {
  std::string method = "best-of-n";

  template <class Visitor>
  void visit(Visitor&& field) {
    field(method, "method", "the search that each half of a pair runs");
  }
};

// The second search starts when the first has spent its passes or has nothing left to try. Ties go
// to the first model because its candidates are found first.
class Pair : public Search {
 public:
  using Options = PairOptions;
  static constexpr SearchFacts kFacts{
      "pair", "one method, once per model with half of the budget", {.anytime = false}};
  // The first half of the actions is the first model's, the other half the second's.
  static std::unique_ptr<Search> make(const SearchSetup& setup);
  static std::string method(const ChosenOptions& options) { return options.of<Pair>().method; }

  // Action 0 of the second search is `second_action` of the run's list.
  Pair(std::unique_ptr<Search> first, std::unique_ptr<Search> second, int second_action,
       long passes_each);
  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
  long pass_limit() const override;
  int nodes() const override { return first_->nodes() + second_->nodes() - 1; }  // one root
  int depth() const override;
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;

 private:
  // The search whose turn it is, and which action of the run it calls 0.
  const Search& turn() const { return on_second_ ? *second_ : *first_; }
  int turn_action() const { return on_second_ ? second_action_ : 0; }

  std::unique_ptr<Search> first_, second_;
  int second_action_;
  long passes_each_;
  bool on_second_ = false;
  long spent_ = 0;  // by the search whose turn it is
};

}  // namespace umf
