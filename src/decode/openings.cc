#include "decode/openings.h"

#include <algorithm>
#include <string>
#include <utility>

namespace umf {
namespace {

constexpr int kBorrowed = 4;  // cells: lines have other lengths

struct Line {
  std::string text;        // all of it
  std::vector<int> cells;  // without those that begin with a newline: lines stay apart
};

std::vector<Line> lines_of(std::span<const Token> cells, int end, const Lexicon& lexicon) {
  std::vector<Line> lines(1);
  for (int cell = 0; cell < end; ++cell) {
    const std::string_view text = text_of(lexicon, cells[cell]);
    if (!text.empty() && text.front() != '\n') lines.back().cells.push_back(cell);
    const std::size_t last = text.rfind('\n');
    lines.back().text += text.substr(0, text.find('\n'));
    if (last != std::string_view::npos) lines.push_back({std::string(text.substr(last + 1)), {}});
  }
  std::erase_if(lines, [](const Line& line) { return line.cells.empty(); });
  return lines;
}

bool is_named(std::string_view line, std::span<const std::string> names) {
  constexpr std::string_view kSpace = " \t\r\f\v";
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  line = line.substr(0, line.find_last_not_of(kSpace) + 1);
  return std::ranges::find(names, line) != names.end();
}

std::vector<Opening> named_openings(const std::vector<Line>& lines, const Verdict& verdict) {
  std::vector<Opening> openings;
  const auto open = [&](std::span<const std::string> names) {
    Opening opening{.kind = Opening::Kind::kNamed};
    for (const Line& line : lines) {
      if (is_named(line.text, names))
        opening.cells.insert(opening.cells.end(), line.cells.begin(), line.cells.end());
    }
    if (!opening.cells.empty() && std::ranges::find(openings, opening) == openings.end())
      openings.push_back(std::move(opening));
  };
  for (const TestVerdict& test : verdict.tests) {
    if (test.lines.empty()) continue;
    open(test.lines);
    open(std::span(test.lines).last(1));
  }
  return openings;
}

}  // namespace

std::vector<Opening> openings_of(std::span<const Token> cells, const Lexicon& lexicon,
                                 const Verdict& verdict) {
  const auto first_end =
      std::ranges::find_if(cells, [&](Token cell) { return ends_text(lexicon.tokens, cell); });
  const auto end = static_cast<int>(first_end - cells.begin()),
             size = static_cast<int>(cells.size());
  const std::vector<Line> lines = lines_of(cells, end, lexicon);
  std::vector<Opening> openings = named_openings(lines, verdict);
  for (const auto& [text, line] : lines) {
    openings.push_back({.kind = Opening::Kind::kLine, .cells = line});
    if (size - end > kBorrowed) {  // the text keeps its end
      openings.push_back({.kind = Opening::Kind::kBorrowed,
                          .cells = line,
                          .insert_at = line.back() + 1,
                          .inserted = kBorrowed});
    }
    if (line.front() == 0) continue;  // that is the root
    Opening suffix{.kind = Opening::Kind::kSuffix};
    for (int cell = line.front(); cell < size; ++cell) suffix.cells.push_back(cell);
    openings.push_back(std::move(suffix));
  }
  return openings;
}

WindowState opened(WindowState end, const Opening& opening, Token mask) {
  for (const int cell : opening.cells) end.cells[cell] = mask;
  end.cells.insert(end.cells.begin() + opening.insert_at, opening.inserted, mask);
  end.cells.resize(end.cells.size() - opening.inserted);
  end.steps_left = 0;
  end.writer = -1;
  return end;
}

}  // namespace umf
