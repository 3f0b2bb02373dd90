#include "math/candidates.h"

#include <fmt/core.h>

#include <algorithm>

#include "math/pattern.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr int kEnvironments = 6, kKinds = 6;

// One environment. Its content is the group e<i>k<kind>, a percent sign after it the group e<i>p.
std::string environment(int i, bool boxed) {
  struct Shape {
    const char *open, *character, *close;
  };
  static constexpr Shape kShapes[] = {
      {R"((?<!\\)\$\$)", R"((?:[^$]|\$(?!\$)))", R"((?<!\\)\$\$)"},
      {R"((?<!\\)\\\[)", R"((?:[^\\]|\\(?!\])))", R"((?<!\\)\\\])"},
      {R"((?<!\\|\d)\$)", R"((?:\\[$]|[^\n$]))", R"((?<!\\)\$)"},
      {R"((?<!\\)\\\()", R"((?:[^\\\n]|\\(?!\))))", R"((?<!\\)\\\))"},
      {R"(\s\[)", R"([^\n\]\[])", R"(\]\s)"},
  };
  std::string alternatives;
  int kind = 0;
  for (const auto& [open, character, close] : kShapes) {
    const std::string content = boxed ? fmt::format(R"({0}*?\\boxed\{{{0}+?\}}{0}*?)", character)
                                      : fmt::format("{}+?", character);
    alternatives +=
        fmt::format("{}{}(?<e{}k{}>{}){}", kind == 0 ? "" : "|", open, i, kind, content, close);
    ++kind;
  }
  if (!boxed) {
    alternatives += fmt::format(
        R"(|(?<e{}k{}>-?\\frac\{{-?\d+(?:[.,]\d+)?\}}\{{-?\d+(?:[.,]\d+)?\}}))", i, kind);
  }
  return fmt::format(R"((?:(?:{})(?<e{}p>\s*(?:\\?%|[Pp]ercentage|[Pp]ercent|[Pp]ct))?))",
                     alternatives, i);
}

std::string environments(bool boxed) {
  std::string all = environment(0, boxed);
  for (int i = 1; i < kEnvironments; ++i) {
    all += fmt::format(R"((?:\s*(?:,?and|,?or|,)\s*{})?)", environment(i, boxed));
  }
  return all;
}

// At most a few hundred characters: longer runs would be searched again from each of their places.
std::string plain_expression() {
  static const std::string operators = R"(\+\-\*×\/\^\(\)÷)";
  const std::string characters = fmt::format(R"([\d\.\s{}])", operators);
  return fmt::format(
      R"((?:^|\s|=)(?:\*\*)?(?<expr>-?\(?-?\d{0}{{0,400}}[{1}]{0}{{1,400}}\)?)(?:\*\*)?(?:[.,:\s)$]|$))",
      characters, operators);
}

std::string plain_number() {
  return R"((?:^|\s|=)(?:\*\*)?(?:\\(?=\$))?[$€£¥₹₽₪₩₫฿₡₢₣₤₥₦₧₨₭₮₯₰₱₲₳₴₵₶₷₸₺₻₼₾₿]?)"
         R"((?<!\d)(?:(?<i1>-?[1-9]\d{0,2}(?:[ ,]\d{3})+)(?<d1>\.\d+)?|)"
         R"((?<i2>-?\d+)(?<d2>[.,]\d+)|(?<d3>\.\d+)|(?<i3>-?\d+)))"
         R"((?<percent>\s*(?:%|[Pp]ercentage|[Pp]ercent|[Pp]ct))?)";
}

struct RankedPattern {
  int priority;  // kBoxed: what the configuration says
  bool latex;
  Pattern pattern;
  int first_group = 0;  // of the environments; 0: a bare box
};

constexpr int kBoxed = -2;

std::vector<RankedPattern> make_patterns() {
  const std::string latex = environments(false), boxed = environments(true);
  const std::string plain = fmt::format("(?:{}|{})", plain_expression(), plain_number());
  std::vector<RankedPattern> all;
  const auto add_latex = [&all](int priority, const std::string& pattern) {
    all.push_back({priority, true, Pattern(pattern, Pattern::kDotAll), 1});
  };
  const auto add_plain = [&all](int priority, const std::string& pattern) {
    all.push_back({priority, false, Pattern(pattern)});
  };
  add_latex(0, R"((?i:final answer is):?\s*)" + latex + R"(\.?\s?I hope)");
  add_latex(50, R"((?i:final answer.{0,100}?)\s+is:?\s*)" + latex);
  add_latex(kBoxed, boxed);
  all.push_back({kBoxed, true, Pattern(R"((?<box>\\boxed\{.+\}))", Pattern::kDotAll), 0});
  add_latex(100, R"((?i:answer)[:：].{0,50}?)" + latex);
  add_latex(200, R"((?i:answer).{0,50}?)" + latex);
  add_latex(300, latex);
  add_plain(0, R"((?i:final answer is):?\s*)" + plain + R"(\.?\s?I hope)");
  add_plain(50, R"((?i:final answer.{0,100}?)\s+is:?)" + plain);
  add_plain(100, R"((?i:answer):(?:.{0,100}=\s*|.{0,50}?))" + plain + R"((?!\s*=))");
  add_plain(200, R"((?i:answer)(?:.{0,100}=\s*|.{0,50}?))" + plain + R"((?!\s*=))");
  add_plain(300, plain_expression());
  add_plain(300, plain_number());
  return all;
}

const std::vector<RankedPattern>& patterns() {
  static const std::vector<RankedPattern> all = make_patterns();
  return all;
}

AnswerCandidate latex_candidate(const RankedPattern& ranked, const Pattern::Match& match,
                                std::string_view text) {
  AnswerCandidate candidate{match.begin, match.end};
  if (ranked.first_group == 0) {
    candidate.environments.push_back({std::string(match.text(text, 1)), match.begin, false, true});
    return candidate;
  }
  const bool boxed = ranked.priority == kBoxed;
  for (int i = 0; i < kEnvironments; ++i) {
    for (int kind = 0; kind < (boxed ? kKinds - 1 : kKinds); ++kind) {
      const int group = ranked.pattern.group(fmt::format("e{}k{}", i, kind));
      if (!match.has(group)) continue;
      const int percent = ranked.pattern.group(fmt::format("e{}p", i));
      candidate.environments.push_back({std::string(match.text(text, group)),
                                        match.groups[static_cast<std::size_t>(group)].first,
                                        match.has(percent)});
    }
  }
  return candidate;
}

AnswerCandidate plain_candidate(const RankedPattern& ranked, const Pattern::Match& match,
                                std::string_view text) {
  AnswerCandidate candidate{match.begin, match.end};
  candidate.value_begin = match.end;
  const auto named = [&](const char* name) -> std::string {
    if (!ranked.pattern.has_group(name)) return "";
    const int group = ranked.pattern.group(name);
    if (match.has(group)) {
      const std::size_t begin = match.groups[static_cast<std::size_t>(group)].first;
      candidate.value_begin = std::min(candidate.value_begin, begin);
    }
    return std::string(match.text(text, group));
  };
  candidate.expression = named("expr");
  std::string integer = named("i1") + named("i2") + named("i3");
  std::erase_if(integer, [](char c) { return c == ',' || c == ' '; });
  const std::string decimals = named("d1") + named("d2") + named("d3");
  candidate.number = integer;
  if (!decimals.empty()) candidate.number.append(1, '.').append(decimals, 1);
  candidate.percent = !named("percent").empty();
  return candidate;
}

}  // namespace

CandidateFinder::CandidateFinder(std::string_view text, const MathVerifyConfig& config)
    : text_(text) {
  for (std::size_t i = 0; i < patterns().size(); ++i) {
    const RankedPattern& ranked = patterns()[i];
    if (ranked.latex ? !config.latex : !config.plain) continue;
    const int priority = ranked.priority == kBoxed ? config.boxed_match_priority : ranked.priority;
    if (priority >= 0) ranks_.emplace_back(priority, static_cast<int>(i));
  }
  std::stable_sort(ranks_.begin(), ranks_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

CandidateGroup CandidateFinder::next() {
  CandidateGroup group;
  while (at_ < ranks_.size() && group.empty()) {
    const int priority = ranks_[at_].first;
    for (; at_ < ranks_.size() && ranks_[at_].first == priority; ++at_) {
      const RankedPattern& ranked = patterns()[static_cast<std::size_t>(ranks_[at_].second)];
      for (const Pattern::Match& match : ranked.pattern.find_all(text_)) {
        group.push_back(ranked.latex ? latex_candidate(ranked, match, text_)
                                     : plain_candidate(ranked, match, text_));
      }
    }
  }
  std::stable_sort(group.begin(), group.end(),
                   [](const AnswerCandidate& a, const AnswerCandidate& b) {
                     return a.end != b.end ? a.end > b.end : a.begin < b.begin;
                   });
  return group;
}

}  // namespace umf
