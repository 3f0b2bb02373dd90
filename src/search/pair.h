// Pair: the same method once per model, each with half of the budget (docs/algorithm.md#pair).
#pragma once

#include <memory>
#include <string>

#include "search/search.h"

namespace umf {

struct PairOptions {
  std::string method = "best-of-n";
  int passes = 768;

  template <class Visitor>
  void visit(Visitor&& field) {
    field(method, "method", "the search that each model runs");
    field(passes, "passes", "forward passes for each model: half of the budget");
  }
};

// The second search starts when the first has spent its passes or has nothing left to try. Ties go
// to the first model because its candidates are found first.
class Pair : public Search {
 public:
  // Action 0 of the second search is `second_action` of the run's list.
  Pair(std::unique_ptr<Search> first, std::unique_ptr<Search> second, int second_action,
       long passes_each);
  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
  long pass_limit() const override;
  int nodes() const override { return first_->nodes() + second_->nodes() - 1; }  // one root
  int depth() const override;

  // The search whose turn it is, and which action of the run it calls 0.
  const Search& turn() const { return on_second_ ? *second_ : *first_; }
  int turn_action() const { return on_second_ ? second_action_ : 0; }

 private:
  std::unique_ptr<Search> first_, second_;
  int second_action_;
  long passes_each_;
  bool on_second_ = false;
  long spent_ = 0;  // by the search whose turn it is
};

}  // namespace umf
