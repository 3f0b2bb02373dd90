#include "session/judging.h"

namespace umf {

void Judging::begin(const std::string& text) {
  const auto [entry, is_new] = judgements_.try_emplace(text);
  if (!is_new) return;
  threads_.submit(
      [this, &text = entry->first, &judgement = entry->second](int) { judge(text, judgement); });
}

bool Judging::finished(const std::string& text) const {
  const auto known = judgements_.find(text);
  return known != judgements_.end() && known->second.finished.load(std::memory_order_acquire);
}

Verdict Judging::hand_over(const std::string& text) {
  const auto known = judgements_.extract(text);
  Judgement& judgement = known.mapped();
  if (judgement.error) std::rethrow_exception(std::move(judgement.error));
  return std::move(judgement.verdict);
}

void Judging::judge(const std::string& text, Judgement& judgement) {
  try {
    judgement.verdict = reward_.judge(text);
  } catch (...) {
    judgement.error = std::current_exception();
  }
  judgement.finished.store(true, std::memory_order_release);
  bell_.ring();
}

}  // namespace umf
