#include "tiny/tiny_tokenizers.h"

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

struct AddedToken {
  Token id;
  std::string content;
  bool special = true;
};

// Space is written Ġ and newline Ċ, as in the published files. Together they make the words of the
// chat templates ("user", "assistant") and the blank line single tokens.
constexpr std::array<std::array<const char*, 2>, 25> kMerges = {{
    {"Ġ", "Ġ"},        {"ĠĠ", "ĠĠ"}, {"i", "n"}, {"Ġ", "t"},     {"e", "r"},
    {"o", "n"},        {"Ġ", "a"},   {"r", "e"}, {"s", "t"},     {"e", "n"},
    {"Ġt", "h"},       {"Ċ", "Ċ"},   {"u", "s"}, {"us", "er"},   {"a", "s"},
    {"as", "s"},       {"i", "st"},  {"a", "n"}, {"ass", "ist"}, {"an", "t"},
    {"assist", "ant"}, {"Ġth", "e"}, {"d", "e"}, {"re", "t"},    {"de", "f"},
}};

// Everything that differs between the families' tokenizers.
struct Layout {
  std::vector<AddedToken> added;
  int first_byte = 0;  // id of byte token 0; the other bytes and the merges follow
  int merges = 0;
  TinyTokens ids;
  std::string bos, eos, pad, mask;  // texts; empty where there is none
  std::string mask_in_map;          // what special_tokens_map.json calls the mask, if not the same
  std::string chat_template;
  std::string regex;
  std::string tokenizer_class;
  bool take_whole = false;  // a piece that is a token is one, whatever the merges say
};

std::vector<AddedToken> numbered(Token first, const std::vector<std::string>& contents) {
  std::vector<AddedToken> tokens;
  for (const std::string& content : contents) tokens.push_back({first++, content});
  return tokens;
}

constexpr const char* kLladaTemplate =
    "{% for message in messages %}"
    "{% set turn = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' + "
    "message['content']"
    " | trim + '<|eot_id|>' %}"
    "{% if loop.index0 == 0 %}{% set turn = bos_token + turn %}{% endif %}{{ turn }}{% endfor %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}";

constexpr const char* kChatMlTemplate =
    "{%- if messages[0]['role'] != 'system' %}\n"
    "    {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}\n"
    "{%- endif %}\n"
    "{%- for message in messages %}\n"
    "    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- '<|im_start|>assistant\\n' }}\n"
    "{%- endif %}\n";

// Qwen3's: no system message of its own, and an empty thought where thinking is switched off.
constexpr const char* kThinkingTemplate =
    "{%- for message in messages %}\n"
    "    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- '<|im_start|>assistant\\n' }}\n"
    "    {%- if enable_thinking is defined and enable_thinking is false %}\n"
    "        {{- '<think>\\n\\n</think>\\n\\n' }}\n"
    "    {%- endif %}\n"
    "{%- endif %}\n";

constexpr const char* kSeedCoderTemplate =
    "{%- if messages[0]['role'] != 'system' %}"
    "{{ bos_token + 'system\\nYou are an AI programming assistant, utilizing the Seed-Coder model, "
    "developed by ByteDance Seed, and you only answer questions related to computer science. For "
    "politically sensitive questions, security and privacy issues, and other non-computer science "
    "questions, you will refuse to answer.\\n\\n' + eos_token }}"
    "{%- endif %}"
    "{%- for message in messages %}"
    "{{ bos_token + message['role'] + '\\n' + message['content'] | trim + eos_token }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{ bos_token + 'assistant\\n' }}{%- endif %}";

// Ling's: without a system message, one that switches thinking off.
constexpr const char* kRolesTemplate =
    "{% set off = 'detailed thinking off' %}"
    "{% if messages[0].role != 'system' %}"
    "{{ '<role>SYSTEM</role>' + off + '<|role_end|>' }}{% endif %}"
    "{% for message in messages %}"
    "{% set name = 'HUMAN' if message.role == 'user' else message.role | upper %}"
    "{{ '<role>' + name + '</role>' + message.content + '<|role_end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<role>ASSISTANT</role>' }}{% endif %}";

// A system turn whether there is a message for it or not, and a thought that is empty where nobody
// asks for one.
constexpr const char* kOpenThoughtTemplate =
    "{%- set enable_thinking = enable_thinking if enable_thinking is defined else False %}\n"
    "{%- if messages[0]['role'] != 'system' %}\n"
    "    {{- '<|im_start|>system\\n<|im_end|>\\n' }}\n"
    "{%- endif %}\n"
    "{%- for message in messages %}\n"
    "    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}\n"
    "    {{- '<|im_start|>assistant\\n' + ('<think>\\n' if enable_thinking else "
    "'<think></think>') }}\n"
    "{%- endif %}\n";

Layout llada_layout() {
  Layout layout;
  layout.merges = 24;
  layout.added = numbered(280, {"<|startoftext|>",
                                "<|endoftext|>",
                                "[CLS]",
                                "[gMASK]",
                                "<|reserved_token_0|>",
                                "<|reserved_token_1|>",
                                "<|reserved_token_2|>",
                                "<|reserved_token_3|>",
                                "<|reserved_token_4|>",
                                "<|reserved_token_5|>",
                                "<|mdm_mask|>",
                                "<role>",
                                "<|eot_id|>",
                                "<|start_header_id|>",
                                "<|end_header_id|>",
                                "</role>",
                                "<|arithmetic_start|>",
                                "<|arithmetic_end|>",
                                "<|number_start|>",
                                "<|number_end|>"});
  layout.ids = {.bos = 280, .eos = 281, .pad = 281, .mask = 290, .end_of_turn = 292, .size = 300};
  layout.bos = "<|startoftext|>";
  layout.eos = layout.pad = "<|endoftext|>";
  layout.chat_template = kLladaTemplate;
  layout.regex =
      R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
  layout.tokenizer_class = "PreTrainedTokenizerFast";
  return layout;
}

// Qwen2's order; the tokens from <tool_call> to <|file_sep|> are added but not special.
std::vector<AddedToken> qwen_tokens() {
  std::vector<AddedToken> added = numbered(
      281, {"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>",
            "<|object_ref_end|>", "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>",
            "<|vision_start|>", "<|vision_end|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>",
            "<|fim_middle|>", "<|fim_suffix|>", "<|repo_name|>", "<|file_sep|>"});
  for (AddedToken& token : added) token.special = token.id < 292;
  return added;
}

Layout dream_layout() {
  Layout layout;
  layout.merges = 25;
  layout.added = qwen_tokens();
  layout.added.push_back({299, "<|beginoftext|>"});
  layout.added.push_back({300, "<|mask|>"});
  layout.ids = {.bos = 299, .eos = 281, .pad = 281, .mask = 300, .end_of_turn = 283, .size = 301};
  layout.bos = "<|beginoftext|>";
  layout.eos = layout.pad = "<|endoftext|>";
  layout.mask = "<|mask|>";
  layout.chat_template = kChatMlTemplate;
  layout.tokenizer_class = "DreamTokenizer";
  return layout;
}

// <|dlm_pad|> is named nowhere but among the added tokens: it has to be found by its text.
Layout diffucoder_layout() {
  Layout layout = dream_layout();
  layout.added.push_back({301, "<|dlm_pad|>"});
  layout.ids.bos = 281;
  layout.ids.size = 302;
  layout.bos = "<|endoftext|>";
  return layout;
}

// The step mark takes the place of a Qwen2 token, as in the published reward model.
Layout prm_layout() {
  Layout layout;
  layout.merges = 25;
  layout.added = qwen_tokens();
  for (AddedToken& token : layout.added)
    if (token.id == 290) token.content = "<extra_0>";
  layout.ids = {.bos = 281, .eos = 283, .pad = 281, .mask = -1, .end_of_turn = 283, .size = 299};
  layout.eos = "<|im_end|>";
  layout.pad = "<|endoftext|>";
  layout.chat_template = kChatMlTemplate;
  layout.tokenizer_class = "Qwen2Tokenizer";
  return layout;
}

// Special tokens come first and stand in the vocabulary of the BPE model too.
Layout sdc_layout() {
  Layout layout;
  layout.first_byte = 9;
  layout.merges = 20;
  layout.added = numbered(
      0, {"<[begin▁of▁sentence]>", "<[PAD▁TOKEN]>", "<[end▁of▁sentence]>", "<[SEP▁TOKEN]>",
          "<[CLS▁TOKEN]>", "<[MASK_TOKEN]>", "<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"});
  layout.ids = {.bos = 0, .eos = 2, .pad = 1, .mask = 5, .end_of_turn = 2, .size = 285};
  layout.bos = "<[begin▁of▁sentence]>";
  layout.eos = "<[end▁of▁sentence]>";
  layout.pad = "<[PAD▁TOKEN]>";
  layout.mask = "<[MASK_TOKEN]>";
  layout.chat_template = kSeedCoderTemplate;
  layout.regex =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
  layout.tokenizer_class = "PreTrainedTokenizerFast";
  return layout;
}

// Neither file names the mask: it is found by its text. Turns end with a token of their own.
Layout illada_layout() {
  Layout layout = sdc_layout();
  layout.added[5].content = "<[MASK]>";
  layout.added[8].content = "<|eot_id|>";
  layout.ids.end_of_turn = 8;
  layout.mask.clear();
  return layout;
}

// Qwen3's tokens and, behind them, a mask that tokenizer_config.json may name.
Layout qwen3_layout(const std::string& mask, bool is_named) {
  Layout layout;
  layout.merges = 25;
  layout.added = qwen_tokens();
  layout.added.push_back({299, "<think>", false});
  layout.added.push_back({300, "</think>", false});
  layout.added.push_back({301, mask});
  layout.ids = {.bos = 281, .eos = 281, .pad = 281, .mask = 301, .end_of_turn = 283, .size = 302};
  layout.eos = layout.pad = "<|endoftext|>";
  if (is_named) layout.mask = mask;
  layout.chat_template = kThinkingTemplate;
  layout.tokenizer_class = "Qwen2Tokenizer";
  return layout;
}

// The release spells its mask in two ways; the id is what counts.
Layout sdar_layout() {
  Layout layout = qwen3_layout("<|MASK|>", true);
  layout.mask_in_map = "<MASK>";
  return layout;
}

// Qwen2.5's: there is nothing to think with.
Layout qwen25_layout(const std::string& mask, bool is_named) {
  Layout layout = qwen3_layout(mask, is_named);
  layout.added[18].content = "<tool_response>";
  layout.added[19].content = "</tool_response>";
  layout.chat_template = kChatMlTemplate;
  return layout;
}

// Ling's: roles between tags. No file but the tokenizer's own knows the mask.
Layout ling_layout() {
  Layout layout = llada_layout();
  layout.added = numbered(280, {"<|startoftext|>",
                                "<|endoftext|>",
                                "[CLS]",
                                "[gMASK]",
                                "<role>",
                                "</role>",
                                "<|role_end|>",
                                "<|reserved_token_0|>",
                                "<|reserved_token_1|>",
                                "<|reserved_token_2|>",
                                "<|reserved_token_3|>",
                                "<|reserved_token_4|>",
                                "<|reserved_token_5|>",
                                "<|reserved_token_6|>",
                                "<|reserved_token_7|>",
                                "<|reserved_token_8|>",
                                "<|reserved_token_9|>",
                                "<|number_start|>",
                                "<|number_end|>",
                                "<think>",
                                "</think>",
                                "<|mask|>"});
  layout.ids = {.bos = 280, .eos = 281, .pad = 281, .mask = 301, .end_of_turn = 286, .size = 302};
  layout.chat_template = kRolesTemplate;
  return layout;
}

// Tekken's: reserved tokens first, of which one is the mask, and nothing but its id says so.
Layout tekken_layout() {
  Layout layout;
  layout.first_byte = 104;
  layout.merges = 25;
  layout.added = numbered(0, {"<unk>", "<s>", "</s>"});
  for (Token id = 3; id < layout.first_byte; ++id)
    layout.added.push_back({id, "<SPECIAL_" + std::to_string(id) + ">"});
  for (const auto& [id, text] : {std::pair{10, "<|im_start|>"}, {11, "<|im_end|>"}})
    layout.added[id].content = text;
  for (const auto& [id, text] : {std::pair{12, "<think>"}, {13, "</think>"}})
    layout.added[id] = {id, text, false};
  layout.ids = {.bos = 1, .eos = 11, .pad = 11, .mask = 100, .end_of_turn = 11, .size = 385};
  layout.bos = "<s>";
  layout.eos = layout.pad = "<|im_end|>";
  layout.chat_template = kOpenThoughtTemplate;
  layout.regex =
      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  layout.tokenizer_class = "PreTrainedTokenizerFast";
  layout.take_whole = true;
  return layout;
}

Layout layout_of(TinyFamily family) {
  switch (family) {
    case TinyFamily::kLlada:
      return llada_layout();
    case TinyFamily::kDream:
      return dream_layout();
    case TinyFamily::kDiffuCoder:
      return diffucoder_layout();
    case TinyFamily::kStableDiffCoder:
      return sdc_layout();
    case TinyFamily::kSdar:
      return sdar_layout();
    case TinyFamily::kDreamReasoner:
      return qwen3_layout("<|mask|>", true);
    case TinyFamily::kIllada:
      return illada_layout();
    case TinyFamily::kA2d:
      return qwen3_layout("<|mask|>", false);
    case TinyFamily::kOpenDcoder:
      return qwen25_layout("[MASK]", true);
    case TinyFamily::kFastDllm:
      return qwen25_layout("|<MASK>|", false);
    case TinyFamily::kSdarMoe:
      return sdar_layout();
    case TinyFamily::kRnd1:
      return qwen3_layout("<|mask|>", true);
    case TinyFamily::kLladaMoe:
    case TinyFamily::kLlada2:
      return ling_layout();
    case TinyFamily::kNemotron:
      return tekken_layout();
    case TinyFamily::kPrm:
      break;
  }
  return prm_layout();
}

std::string utf8(int code) {
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

// GPT-2's characters for bytes in the order of their token ids: the printable bytes as themselves,
// then the others as U+0100 and following.
std::vector<std::string> byte_characters() {
  const auto printable = [](int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
  };
  std::vector<std::string> characters;
  for (int byte = 0; byte < 256; ++byte)
    if (printable(byte)) characters.push_back(utf8(byte));
  for (int code = 0x100; characters.size() < 256; ++code) characters.push_back(utf8(code));
  return characters;
}

OrderedJson vocabulary(const Layout& layout) {
  OrderedJson vocab = OrderedJson::object();
  for (const AddedToken& token : layout.added)
    if (token.id < layout.first_byte) vocab[token.content] = token.id;
  Token id = layout.first_byte;
  for (const std::string& character : byte_characters()) vocab[character] = id++;
  for (int i = 0; i < layout.merges; ++i) vocab[std::string(kMerges[i][0]) + kMerges[i][1]] = id++;
  return vocab;
}

OrderedJson added_fields(const AddedToken& token) {
  return {{"content", token.content}, {"lstrip", false},      {"normalized", false},
          {"rstrip", false},          {"single_word", false}, {"special", token.special}};
}

OrderedJson byte_level() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", false},
          {"use_regex", false}};
}

// Published files write a merge as "a b" or as ["a", "b"]; both occur here.
OrderedJson merge_list(const Layout& layout, bool as_pairs) {
  OrderedJson merges = OrderedJson::array();
  for (int i = 0; i < layout.merges; ++i) {
    const std::string left = kMerges[i][0], right = kMerges[i][1];
    if (as_pairs) {
      merges.push_back(OrderedJson::array({left, right}));
    } else {
      merges.push_back(left + " " + right);
    }
  }
  return merges;
}

// Puts bos in front of a plain text; nothing that encodes a rendered prompt may apply it.
OrderedJson bos_processor(const Layout& layout) {
  const OrderedJson bos = {{"SpecialToken", {{"id", layout.bos}, {"type_id", 0}}}};
  const OrderedJson text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  return {{"type", "TemplateProcessing"},
          {"single", OrderedJson::array({bos, text})},
          {"pair", OrderedJson::array({bos, text})},
          {"special_tokens",
           {{layout.bos,
             {{"id", layout.bos},
              {"ids", OrderedJson::array({layout.ids.bos})},
              {"tokens", OrderedJson::array({layout.bos})}}}}}};
}

OrderedJson tokenizer_json(const Layout& layout, bool seed_coder) {
  OrderedJson json = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  json["added_tokens"] = OrderedJson::array();
  for (const AddedToken& token : layout.added) {
    OrderedJson entry = {{"id", token.id}};
    entry.update(added_fields(token));
    json["added_tokens"].push_back(entry);
  }
  json["normalizer"] = nullptr;
  const OrderedJson split = {{"type", "Split"},
                             {"pattern", {{"Regex", layout.regex}}},
                             {"behavior", "Isolated"},
                             {"invert", false}};
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", OrderedJson::array({split, byte_level()})}};
  json["post_processor"] = seed_coder ? bos_processor(layout) : byte_level();
  json["decoder"] = byte_level();
  json["model"] = {{"type", "BPE"},
                   {"dropout", nullptr},
                   {"unk_token", nullptr},
                   {"continuing_subword_prefix", nullptr},
                   {"end_of_word_suffix", nullptr},
                   {"fuse_unk", false},
                   {"byte_fallback", false},
                   {"ignore_merges", layout.take_whole},
                   {"vocab", vocabulary(layout)},
                   {"merges", merge_list(layout, seed_coder)}};
  return json;
}

OrderedJson text_or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

OrderedJson tokenizer_config(const Layout& layout, TinyFamily family) {
  OrderedJson json = {{"add_bos_token", false}, {"add_prefix_space", false}};
  json["added_tokens_decoder"] = OrderedJson::object();
  for (const AddedToken& token : layout.added)
    json["added_tokens_decoder"][std::to_string(token.id)] = added_fields(token);
  if (layout.tokenizer_class == "DreamTokenizer")
    json["auto_map"]["AutoTokenizer"] = {"tokenization_dream.DreamTokenizer", nullptr};
  json["bos_token"] = text_or_null(layout.bos);
  if (family != TinyFamily::kDiffuCoder) json["chat_template"] = layout.chat_template;
  json["clean_up_tokenization_spaces"] = false;
  json["eos_token"] = layout.eos;
  json["errors"] = "replace";
  if (!layout.mask.empty()) json["mask_token"] = layout.mask;
  json["model_max_length"] = 131072;
  json["pad_token"] = layout.pad;
  json["split_special_tokens"] = false;
  json["tokenizer_class"] = layout.tokenizer_class;
  json["unk_token"] = nullptr;
  return json;
}

OrderedJson special_tokens_map(const Layout& layout) {
  OrderedJson json = OrderedJson::object();
  const auto add = [&json](const char* role, const std::string& text) {
    if (!text.empty())
      json[role] = {{"content", text},
                    {"lstrip", false},
                    {"normalized", false},
                    {"rstrip", false},
                    {"single_word", false}};
  };
  add("bos_token", layout.bos);
  add("eos_token", layout.eos);
  add("mask_token", layout.mask_in_map.empty() ? layout.mask : layout.mask_in_map);
  add("pad_token", layout.pad);
  return json;
}

std::string merges_text(const Layout& layout) {
  std::string text = "#version: 0.2\n";
  for (int i = 0; i < layout.merges; ++i)
    text += std::string(kMerges[i][0]) + " " + kMerges[i][1] + "\n";
  return text;
}

void write_slow_tokenizer(const Layout& layout, const fs::path& directory) {
  OrderedJson added = OrderedJson::object();
  for (const AddedToken& token : layout.added) added[token.content] = token.id;
  write_file(directory / "vocab.json", vocabulary(layout).dump());
  write_file(directory / "merges.txt", merges_text(layout));
  write_file(directory / "added_tokens.json", added.dump(2) + "\n");
}

}  // namespace

TinyTokens tiny_tokens(TinyFamily family) { return layout_of(family).ids; }

void write_tiny_tokenizer(TinyFamily family, const fs::path& directory) {
  const Layout layout = layout_of(family);
  if (layout.regex.empty()) {
    write_slow_tokenizer(layout, directory);
  } else {
    const bool seed_coder = family == TinyFamily::kStableDiffCoder || family == TinyFamily::kIllada;
    write_file(directory / "tokenizer.json", tokenizer_json(layout, seed_coder).dump(2) + "\n");
  }
  write_file(directory / "tokenizer_config.json", tokenizer_config(layout, family).dump(2) + "\n");
  write_file(directory / "special_tokens_map.json", special_tokens_map(layout).dump(2) + "\n");
  if (family == TinyFamily::kDiffuCoder)
    write_file(directory / "chat_template.jinja", layout.chat_template);
}

}  // namespace umf
