// Best-of-N: independent rollouts from the root (docs/algorithm.md#best-of-n).
#pragma once

#include "search/search_setup.h"

namespace umf {

struct BestOfNOptions {
  int samples = 0;

  template <class Visitor>
  void visit(Visitor&& field) {
    field(samples, "samples", "rollouts to make; 0 goes on until the budget is spent");
  }
};

// Sample i runs `action` with draw i + 1. Without a number of samples it never ends by itself.
class BestOfN : public Search {
 public:
  using Options = BestOfNOptions;
  static constexpr SearchFacts kFacts{
      "best-of-n", "independent rollouts of one action", {.one_action = true}};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<BestOfN>(setup.root, 0, setup.options.of<BestOfN>());
  }

  BestOfN(Place root, int action, const BestOfNOptions& options);
  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;
  int nodes() const override { return 1 + samples_; }
  int depth() const override { return samples_ > 0 ? 1 : 0; }

 private:
  Place root_;
  int action_;
  BestOfNOptions options_;
  int samples_ = 0;  // told so far
  bool feasible_ = true;
};

}  // namespace umf
