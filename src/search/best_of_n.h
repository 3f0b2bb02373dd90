// Best-of-N: independent rollouts from the root (docs/algorithm.md#best-of-n).
#pragma once

#include "search/search.h"

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
  BestOfN(Place root, int action, const BestOfNOptions& options);
  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
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
