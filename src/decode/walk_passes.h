// The forward passes of one walk: what they cost, and the anchors of its models.
#pragma once

#include <map>
#include <string>

#include "decode/anchored_model.h"

namespace umf {

// What a budget counts.
enum class BudgetUnit {
  kPasses,       // forward passes, whatever they compute
  kEquivalents,  // their arithmetic in whole passes, of a rollout rounded up
};
BudgetUnit parse_budget_unit(const std::string& name);  // throws Error
const char* name_of(BudgetUnit unit);

class WalkPasses {
 public:
  explicit WalkPasses(BudgetUnit unit) : unit_(unit) {}

  // The model of a participant with its anchor, made when it is first asked for; nullptr where the
  // action has none.
  AnchoredModel* anchored(int participant, Model& model, const Action& action);
  // At a checkpoint: the next pass of every model is a whole one.
  void forget();

  // One more pass, of the model that anchored() gave.
  void count(const AnchoredModel* anchored);
  int made() const { return made_; }
  int partial() const { return partial_; }
  double equivalents() const { return equivalents_; }
  // In the unit. No pass costs more than one, so that it takes every value on its way up.
  int spent() const;

 private:
  BudgetUnit unit_;
  int made_ = 0, partial_ = 0;
  double equivalents_ = 0;
  std::map<int, AnchoredModel> models_;
};

}  // namespace umf
