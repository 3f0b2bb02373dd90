#include "server/masked_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace umf {
namespace {

std::span<const Token> before_end(std::span<const Token> window, const SpecialTokens& tokens) {
  const auto end =
      std::find_first_of(window.begin(), window.end(), tokens.ends.begin(), tokens.ends.end());
  return window.first(end - window.begin());
}

}  // namespace

Json masked_text(std::span<const Token> window, const Tokenizer& tokenizer,
                 const SpecialTokens& tokens) {
  Json segments = Json::array();
  std::span<const Token> rest = before_end(window, tokens);
  while (!rest.empty()) {
    const bool masked = rest.front() == tokens.mask;
    const auto end = std::find_if(rest.begin(), rest.end(),
                                  [&](Token token) { return (token == tokens.mask) != masked; });
    const auto stretch = rest.first(end - rest.begin());
    if (masked)
      segments.push_back(stretch.size());
    else
      segments.push_back(to_valid_utf8(tokenizer.decode(stretch, /*skip_special=*/true)));
    rest = rest.subspan(stretch.size());
  }
  return segments;
}

int answer_tokens(std::span<const Token> window, const SpecialTokens& tokens) {
  const auto answer = before_end(window, tokens);
  return static_cast<int>(answer.size() - std::count(answer.begin(), answer.end(), tokens.mask));
}

bool has_end(std::span<const Token> window, const SpecialTokens& tokens) {
  return before_end(window, tokens).size() < window.size();
}

}  // namespace umf
