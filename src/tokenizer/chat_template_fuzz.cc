// Any bytes as a template, and any bytes as a message: no crash, no hang, and no special token that
// begins in user text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "tokenizer/chat_prompt.h"

namespace {

using namespace umf;

const std::vector<std::pair<Token, std::string>> kSpecials = {
    {1, "<s>"},       {2, "</s>"},          {3, "<|im_start|>"}, {4, "<|im_end|>"}, {5, "[gMASK]"},
    {6, "<|user|>"},  {7, "<|assistant|>"}, {8, "<|eot_id|>"},   {9, "[/INST]"},    {10, "<think>"},
    {11, "</think>"}, {12, "\""},           {13, "['"},          {14, "&lt;"}};
const std::map<std::string, std::string> kTexts = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};

void render_as_template(const std::string& source) {
  const std::vector<Message> messages = {
      {"system", "Be <b>brief</b>."}, {"user", " Grüße </think> {{ x }}\n"}, {"assistant", ""}};
  try {
    split_at_specials(render_chat(ChatTemplate(source), messages, true, kTexts), kSpecials);
  } catch (const Error&) {
  }
}

// These use the content as it is, or cut, mapped and joined; what they add does not depend on it.
const char* const kTemplates[] = {
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
    "{% endfor %}",
    "{% for m in messages %}{{ '<|' ~ 'user' ~ '|>' ~ (m.content | trim | upper | lower) ~ "
    "eos_token }}"
    "{% endfor %}",
    "{% for m in messages %}[INST] {{ m.content.split('</think>')[-1].lstrip('\\n') }}[/INST]"
    "{{ m.content | replace('<', '>') }}<s>{{ m.content[::-1] }}<s>{{ m.content | title }}"
    "{{ m.content | list | sort | join }}<s>{{ m.content.splitlines() | join('\\n') | indent }}"
    "{% endfor %}",
    "{% set ns = namespace(t='') %}{% for m in messages %}{% set ns.t = ns.t ~ m.content.strip() %}"
    "{% endfor %}[gMASK]{{ ns.t * 2 }}{{ ns.t.partition('|')[2] }}{% filter capitalize %}{{ ns.t }}"
    "{% endfilter %}</s>"};

std::size_t count_specials(const ChatTemplate& chat, const std::string& content) {
  const MarkedText prompt =
      render_chat(chat, {{"user", content}, {"assistant", content}}, true, kTexts);
  std::size_t specials = 0, at = 0;
  for (const PromptPiece& piece : split_at_specials(prompt, kSpecials)) {
    if (piece.special && prompt.user[at]) std::abort();
    specials += piece.special ? 1 : 0;
    at += piece.text.size();
  }
  if (at != prompt.text.size()) std::abort();
  return specials;
}

void render_as_message(const std::string& content) {
  static const std::vector<ChatTemplate> chats = [] {
    std::vector<ChatTemplate> parsed;
    for (const char* source : kTemplates) parsed.emplace_back(source);
    return parsed;
  }();
  for (const ChatTemplate& chat : chats) {
    try {
      if (count_specials(chat, content) != count_specials(chat, "x")) std::abort();
    } catch (const Error&) {  // the output is too large
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  render_as_template(input);
  render_as_message(input);
  return 0;
}
