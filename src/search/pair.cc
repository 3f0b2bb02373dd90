#include "search/pair.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "search/forecast.h"

namespace umf {

std::unique_ptr<Search> Pair::make(const SearchSetup& setup) {
  const std::string method = Pair::method(setup.options);
  if (method == kFacts.name)
    throw Error("search 'pair' cannot be the method of a pair. Name another search.");
  if (setup.actions < 2 || setup.actions % 2 != 0) {
    throw Error(fmt::format(
        "search 'pair' takes the same number of actions for each of two models, and {} were given.",
        setup.actions));
  }
  SearchSetup half = setup;
  half.actions = setup.actions / 2;
  half.budget = setup.budget / 2;
  std::unique_ptr<Search> first = setup.make_search(method, half);
  half.first_action = half.actions;
  return std::make_unique<Pair>(std::move(first), setup.make_search(method, half), half.actions,
                                half.budget);
}

Pair::Pair(std::unique_ptr<Search> first, std::unique_ptr<Search> second, int second_action,
           long passes_each)
    : first_(std::move(first)),
      second_(std::move(second)),
      second_action_(second_action),
      passes_each_(passes_each) {}

std::optional<Trial> Pair::ask() {
  if (!on_second_) {
    if (spent_ < passes_each_) {
      if (const std::optional<Trial> trial = first_->ask()) return trial;
    }
    on_second_ = true;
    spent_ = 0;
  }
  if (spent_ >= passes_each_) return std::nullopt;
  std::optional<Trial> trial = second_->ask();
  if (trial) trial->action += second_action_;
  return trial;
}

void Pair::tell(const Trial& trial, const Outcome& outcome) {
  spent_ += outcome.passes;
  if (!on_second_) return first_->tell(trial, outcome);
  Trial inner = trial;
  inner.action -= second_action_;
  second_->tell(inner, outcome);
}

long Pair::pass_limit() const { return std::min(passes_each_ - spent_, turn().pass_limit()); }

std::vector<Foreseen> Pair::forecast(const Outlook& outlook, const ForecastOptions& options) const {
  Outlook inner = outlook;
  inner.first_action += turn_action();
  std::vector<Foreseen> found = turn().forecast(inner, options);
  for (Foreseen& next : found) next.trial.action += turn_action();
  return found;
}

int Pair::depth() const { return std::max(first_->depth(), second_->depth()); }

}  // namespace umf
