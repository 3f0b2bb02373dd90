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

const Verdict& Judging::verdict(const std::string& text) const {
  const Judgement& judgement = judgements_.at(text);
  if (judgement.error) std::rethrow_exception(judgement.error);
  return judgement.verdict;
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
