#include "reward/code_extraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "base/nearest.h"

namespace umf {
namespace {

constexpr std::string_view kFence = "```", kPython = "```python";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string joined(std::span<const std::string_view> lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string_view trimmed(std::string_view text, std::string_view what = " \t\r\n\f\v") {
  const auto first = text.find_first_not_of(what);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(what) - first + 1);
}

std::string_view before(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

// A line that opens or closes a block: a fence behind white space.
bool is_fence(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.substr(first).starts_with(kFence);
}

std::string fenced(std::string_view text) {
  const auto lines = lines_of(text);
  std::string last;
  bool complete = false;
  int open = -1;
  for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
    if (!is_fence(lines[i])) continue;
    if (open < 0) {
      open = i;
    } else {
      last = joined(std::span(lines).subspan(open + 1, i - open - 1));
      complete = true;
      open = -1;
    }
  }
  if (complete) return last;
  if (open >= 0) return joined(std::span(lines).subspan(open + 1));
  return std::string(text);
}

std::string livecodebench(std::string_view text) {
  const auto lines = lines_of(text);
  std::vector<int> fences;
  for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
    if (lines[i].find(kFence) != std::string_view::npos) fences.push_back(i);
  }
  if (fences.size() < 2) return "";
  const int begin = fences[fences.size() - 2] + 1, end = fences.back();
  return joined(std::span(lines).subspan(begin, end - begin));
}

// The part of `text` before its 10,000th character.
std::string_view search_window(std::string_view text) {
  int characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && characters++ == 10'000) return text.substr(0, at);
  }
  return text;
}

std::string cut_at_stops(std::string_view text, std::span<const std::string_view> more) {
  constexpr std::array<std::string_view, 6> kStops = {"<|endoftext|>", "<|endofmask|>", "</s>",
                                                      "\nif __name__", "\ndef main(",   "\nprint("};
  // Stop words are looked for in all of the text, so that one may begin inside and end outside.
  std::size_t end = search_window(text).size();
  for (const auto& list : {std::span<const std::string_view>(kStops), more}) {
    for (const std::string_view stop : list) end = std::min(end, text.find(stop));
  }
  std::string cut;
  for (const char c : text.substr(0, end)) {
    if (c == '\t')
      cut += "    ";
    else
      cut += c;
  }
  return cut;
}

std::string cut_chat(std::string_view text) {
  constexpr std::array<std::string_view, 1> kStops = {"\n```\n"};
  return cut_at_stops(text, kStops);
}

std::string cut_base(std::string_view text, bool mbpp) {
  constexpr std::array<std::string_view, 5> kHumanEval = {"\ndef ", "\nclass ", "\nimport ",
                                                          "\nfrom ", "\nassert "};
  constexpr std::array<std::string_view, 2> kMbpp = {"\n\"\"\"", "\nassert"};
  return mbpp ? cut_at_stops(text, kMbpp) : cut_at_stops(text, kHumanEval);
}

// What follows the first ```python, if there is one, up to the next fence.
std::string_view after_python_fence(std::string_view text) {
  const std::size_t fence = text.find(kPython);
  if (fence != std::string_view::npos) {
    text.remove_prefix(fence + kPython.size());
    if (text.starts_with('\n')) text.remove_prefix(1);
  }
  return before(text, kFence);
}

std::string mbpp_cascade(std::string_view text) {
  std::string_view code;
  std::size_t begin = text.find("BEGIN");
  if (begin != std::string_view::npos) {
    begin += 5;
    if (text.substr(begin).starts_with(']')) ++begin;
    std::size_t done = text.find("DONE", begin);
    if (done != std::string_view::npos && text[done - 1] == '[') --done;
    code = text.substr(begin, done == std::string_view::npos ? done : done - begin);
  } else if (text.find(kFence) != text.rfind(kFence)) {
    std::string_view rest = text.substr(text.find(kFence) + kFence.size());
    if (rest.starts_with("python")) rest.remove_prefix(6);
    code = before(rest, kFence);
  } else {
    code = before(text, kFence);
  }
  code = before(before(code, "[DONE]"), "'DONE'");
  std::string plain;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code.substr(at).starts_with("\\_")) continue;  // the underscore follows
    plain += code[at];
  }
  return std::string(trimmed(trimmed(plain), "'\""));
}

std::string with_prefill(const ExtractionContext& context, std::string_view answer) {
  return context.prefill + std::string(answer);
}

using Way = Extraction (*)(std::string_view answer, const ExtractionContext& context);

struct NamedWay {
  std::string name;
  Way way;
};

const std::vector<NamedWay>& ways() {
  using Text = std::string_view;
  using Context = ExtractionContext;
  static const std::vector<NamedWay> ways = {
      {"program",
       [](Text a, const Context&) {
         return Extraction{std::string(a), ""};
       }},
      {"fenced",
       [](Text a, const Context& c) {
         return Extraction{fenced(with_prefill(c, a)), ""};
       }},
      {"to-fence",
       [](Text a, const Context& c) {
         // A turn that was begun with a fence goes on inside the block.
         const bool inside = c.prefill.find(kFence) != std::string::npos;
         return Extraction{std::string(inside ? before(a, kFence) : after_python_fence(a)), ""};
       }},
      {"stripped",
       [](Text a, const Context&) {
         return Extraction{std::string(trimmed(a)), ""};
       }},
      {"livecodebench",
       [](Text a, const Context& c) {
         return Extraction{livecodebench(with_prefill(c, a)), ""};
       }},
      {"evalplus-chat",
       [](Text a, const Context&) {
         return Extraction{cut_chat(a), "evalplus"};
       }},
      {"evalplus-base",
       [](Text a, const Context& c) {
         return Extraction{c.prompt + cut_base(a, c.mbpp), "evalplus"};
       }},
      {"evalplus-fenced",
       [](Text a, const Context&) {
         return Extraction{fenced(a), "evalplus"};
       }},
      {"dream",
       [](Text a, const Context& c) {
         return Extraction{c.prompt + "\n" + std::string(after_python_fence(a)), "dream"};
       }},
      {"mbpp-base",
       [](Text a, const Context&) {
         return Extraction{cut_base(a, true), ""};
       }},
      {"mbpp-cascade",
       [](Text a, const Context&) {
         return Extraction{mbpp_cascade(a), ""};
       }},
  };
  return ways;
}

}  // namespace

const std::vector<std::string>& extraction_ways() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const NamedWay& way : ways()) list.push_back(way.name);
    return list;
  }();
  return names;
}

Extraction extract_program(const std::string& way, std::string_view answer,
                           const ExtractionContext& context) {
  for (const NamedWay& known : ways()) {
    if (known.name == way) return known.way(answer, context);
  }
  const std::string near = nearest(way, extraction_ways());
  throw Error(fmt::format("unknown way '{}' to find a program in an answer. {}", way,
                          near.empty()
                              ? fmt::format("There are {}", fmt::join(extraction_ways(), ", "))
                              : "Did you mean " + near + "?"));
}

}  // namespace umf
