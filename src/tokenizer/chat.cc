#include "tokenizer/chat.h"

#include <algorithm>
#include <map>

namespace umf {

namespace {

// What Hugging Face's special_tokens_map can hold.
constexpr std::string_view kSpecialRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                              "pad_token", "cls_token", "mask_token"};

std::map<std::string, std::string> special_texts(
    const Tokenizer& tokenizer, const std::vector<std::pair<Token, std::string>>& specials) {
  std::map<std::string, std::string> texts;
  for (const std::string_view role : kSpecialRoles) {
    const auto id = tokenizer.named(role);
    if (!id) continue;
    const auto found = std::find_if(specials.begin(), specials.end(),
                                    [&](const auto& special) { return special.first == *id; });
    texts.emplace(role,
                  found != specials.end() ? found->second : std::string(tokenizer.bytes(*id)));
  }
  return texts;
}

}  // namespace

std::vector<Token> encode_chat(const Tokenizer& tokenizer, const std::string& template_source,
                               const std::vector<Message>& messages, bool add_generation_prompt,
                               const std::string& prefill) {
  const auto specials = tokenizer.specials();
  MarkedText prompt = render_chat(ChatTemplate(template_source), messages, add_generation_prompt,
                                  special_texts(tokenizer, specials));
  prompt.text += prefill;
  prompt.user.resize(prompt.text.size(), true);
  std::vector<Token> tokens;
  for (const PromptPiece& piece : split_at_specials(prompt, specials)) {
    if (piece.special) {
      tokens.push_back(*piece.special);
    } else {
      const auto encoded = tokenizer.encode(piece.text, SpecialText::kPlain);
      tokens.insert(tokens.end(), encoded.begin(), encoded.end());
    }
  }
  return tokens;
}

}  // namespace umf
