#include "decode/walk_passes.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"

namespace umf {

BudgetUnit parse_budget_unit(const std::string& name) {
  if (name == "passes") return BudgetUnit::kPasses;
  if (name == "equivalents") return BudgetUnit::kEquivalents;
  throw Error(fmt::format("there is no budget unit '{}'; choose passes or equivalents", name));
}

const char* name_of(BudgetUnit unit) {
  return unit == BudgetUnit::kPasses ? "passes" : "equivalents";
}

AnchoredModel* WalkPasses::anchored(int participant, Model& model, const Action& action) {
  if (action.anchor == AnchorRule::kNone) return nullptr;
  return &models_.try_emplace(participant, model, action).first->second;
}

void WalkPasses::forget() {
  for (auto& [participant, model] : models_) model.forget();
}

void WalkPasses::count(const AnchoredModel* anchored) {
  ++made_;
  partial_ += anchored != nullptr && anchored->was_partial() ? 1 : 0;
  equivalents_ += anchored != nullptr ? anchored->share() : 1;
}

int WalkPasses::spent() const {
  return unit_ == BudgetUnit::kPasses ? made_ : static_cast<int>(std::ceil(equivalents_));
}

}  // namespace umf
