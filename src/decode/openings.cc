#include "decode/openings.h"

#include <algorithm>
#include <utility>

namespace umf {
namespace {

constexpr int kBorrowed = 4;  // cells: lines have other lengths

// The cells of each line that has any, without those that begin with a newline: lines stay apart.
std::vector<std::vector<int>> lines_of(std::span<const Token> cells, int end,
                                       const Lexicon& lexicon) {
  std::vector<std::vector<int>> lines(1);
  for (int cell = 0; cell < end; ++cell) {
    const std::string_view text = text_of(lexicon, cells[cell]);
    if (!text.empty() && text.front() != '\n') lines.back().push_back(cell);
    if (text.find('\n') != std::string_view::npos) lines.emplace_back();
  }
  std::erase_if(lines, [](const std::vector<int>& line) { return line.empty(); });
  return lines;
}

}  // namespace

std::vector<Opening> openings_of(std::span<const Token> cells, const Lexicon& lexicon) {
  const auto first_end =
      std::ranges::find_if(cells, [&](Token cell) { return ends_text(lexicon.tokens, cell); });
  const auto end = static_cast<int>(first_end - cells.begin()),
             size = static_cast<int>(cells.size());
  std::vector<Opening> openings;
  for (const std::vector<int>& line : lines_of(cells, end, lexicon)) {
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
