#include "decoding_world.h"

namespace umf {

Verdict DecodingWorld::judge(StateId end) {
  const std::string text = walker_.text(end);
  const auto known = judged_.find(text);
  if (known != judged_.end()) return known->second;
  return judged_.emplace(text, reward_.judge(text)).first->second;
}

}  // namespace umf
