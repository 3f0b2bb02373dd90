#include "cli/authors.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace umf {
namespace {

using Line = std::vector<AuthoredText>;

std::string letter(int author) { return std::string(1, static_cast<char>('A' + author % 26)); }

std::vector<Line> lines_of(const std::vector<AuthoredText>& pieces) {
  std::vector<Line> lines(1);
  for (const AuthoredText& piece : pieces) {
    for (std::size_t begin = 0; begin <= piece.bytes.size();) {
      const std::size_t end = std::min(piece.bytes.find('\n', begin), piece.bytes.size());
      if (end > begin)
        lines.back().push_back({piece.bytes.substr(begin, end - begin), piece.author});
      if (end < piece.bytes.size()) lines.emplace_back();
      begin = end + 1;
    }
  }
  if (lines.back().empty()) lines.pop_back();  // behind a last newline
  return lines;
}

// Bytes that can be seen, by author.
std::map<int, long> shares_of(const std::vector<AuthoredText>& pieces) {
  std::map<int, long> shares;
  for (const AuthoredText& piece : pieces) {
    const auto seen = std::count_if(piece.bytes.begin(), piece.bytes.end(),
                                    [](unsigned char c) { return c > ' '; });
    if (seen > 0) shares[piece.author] += seen;
  }
  return shares;
}

// The letters of a line's authors, who wrote most first.
std::string letters_of(const Line& line) {
  const auto shares = shares_of(line);
  std::vector<std::pair<int, long>> authors(shares.begin(), shares.end());
  std::ranges::stable_sort(authors, std::ranges::greater(), &std::pair<int, long>::second);
  std::string letters;
  for (const auto& [author, share] : authors) letters += letter(author);
  return letters;
}

}  // namespace

std::string authors_legend(const std::vector<AuthoredText>& pieces,
                           const std::vector<std::string>& names, const Paint& paint) {
  const auto shares = shares_of(pieces);
  long all = 0;
  for (const auto& [author, share] : shares) all += share;
  std::string legend;
  for (const auto& [author, share] : shares) {
    legend += legend.empty() ? "" : "   ";
    legend += paint.author(author, fmt::format("{} {}", letter(author), names[author]));
    legend +=
        fmt::format(" {:.0f} %", 100.0 * static_cast<double>(share) / static_cast<double>(all));
  }
  return legend;
}

std::string coloured_answer(const std::vector<AuthoredText>& pieces, const Paint& paint) {
  std::string text;
  for (const AuthoredText& piece : pieces)
    text += paint.author(piece.author, harmless(piece.bytes));
  return text;
}

std::string lettered_answer(const std::vector<AuthoredText>& pieces, const Paint& paint) {
  const std::vector<Line> lines = lines_of(pieces);
  std::size_t width = 1;
  for (const Line& line : lines) width = std::max(width, letters_of(line).size());
  std::string text;
  for (const Line& line : lines)
    text += fmt::format("  {:<{}}  {}\n", letters_of(line), width, coloured_answer(line, paint));
  return text;
}

}  // namespace umf
