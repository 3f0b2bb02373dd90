#include "search/pair.h"

#include <algorithm>

namespace umf {

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

int Pair::depth() const { return std::max(first_->depth(), second_->depth()); }

}  // namespace umf
