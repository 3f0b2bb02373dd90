// DTS*: diffusion tree sampling's search form (arXiv 2506.20701), over the checkpoints
// (docs/algorithm.md#dts).
#pragma once

#include <vector>

#include "search/search_setup.h"

namespace umf {

struct DtsOptions {
  double widening = 2;
  double widening_power = 0.5;
  double lambda = 1;
  double exploration = 1;

  template <class Visitor>
  void visit(Visitor&& field) {
    field(widening, "widening", "a node visited N times has at most widening * N^power children");
    field(widening_power, "widening-power", "see widening; 0 keeps the number of children fixed");
    field(lambda, "lambda",
          "soft backup: 0 is the mean of the children, large values their maximum");
    field(exploration, "exploration", "UCT constant; 0 always follows the best value");
  }
};

// Throws Error when a field is out of its range.
void check(const DtsOptions& options);

// (1/lambda) ln mean exp(lambda v): between the mean (lambda 0) and the maximum (lambda infinite).
double soft_value(const std::vector<double>& values, double lambda);

struct DtsNode {
  Place place;
  int parent = -1, level = 0;
  double value = 0;  // soft estimate; the reward of a terminal
  int visits = 1;
  bool terminal = false;   // the end of a rollout
  bool closed = false;     // the action does not fit this state
  bool exhausted = false;  // no child can be drawn here or below; never becomes false again
  std::vector<int> children;
};

// One configuration, fresh noise at every edge. All states that a rollout passes become nodes. A
// terminal that is selected again is backed up again once, inside ask() and at no cost; after that
// it counts as exhausted, so no sequence of rewards can keep ask() from returning.
class Dts : public Search {
 public:
  using Options = DtsOptions;
  static constexpr SearchFacts kFacts{
      "dts", "DTS*: diffusion tree sampling with maximisation, one action", {.one_action = true}};
  static std::unique_ptr<Search> make(const SearchSetup& setup) {
    return std::make_unique<Dts>(setup.root, 0, setup.seed, setup.options.of<Dts>());
  }

  Dts(Place root, int action, std::uint64_t seed, const DtsOptions& options);
  std::optional<Trial> ask() override;
  void tell(const Trial& trial, const Outcome& outcome) override;
  std::vector<Foreseen> forecast(const Outlook& outlook,
                                 const ForecastOptions& options) const override;
  int nodes() const override { return static_cast<int>(tree_.size()); }
  int depth() const override { return depth_; }

  const std::vector<DtsNode>& tree() const { return tree_; }  // 0 is the root

 private:
  int select() const;
  bool full(const DtsNode& node) const;
  int best_child(const DtsNode& node) const;
  Trial expansion(int node) const;
  int add(int parent, Place place);
  void back_up(int node);
  void refresh(DtsNode& node);

  int action_;
  std::uint64_t seed_;
  DtsOptions options_;
  std::vector<DtsNode> tree_;
  int depth_ = 0;
  std::optional<Trial> pending_;
  int expanded_ = 0;  // the node that the pending trial starts from
};

}  // namespace umf
