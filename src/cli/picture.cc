#include "cli/picture.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <set>

#include "setup/terminal.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr const char *kReset = "\x1b[0m", *kMask = "·", *kActiveMask = "•",
                     *kStray = "\xEF\xBF\xBD", *kCut = "…";
// Longer runs of masks are counted instead of drawn.
constexpr int kDrawnMasks = 24;
constexpr int kGutter = 4;  // letters and a space
constexpr int kTab = 4;

struct Glyph {
  std::string text;
  int width = 1;
  int author = -1;
  bool active = false, fresh = false;
};
using Row = std::vector<Glyph>;

char letter(int author) { return static_cast<char>('A' + author % 26); }

std::string style(const Glyph& glyph) {
  if (glyph.author < 0) return glyph.active ? "\x1b[1m" : "\x1b[2m";
  return fmt::format("\x1b[{}{}m", glyph.fresh ? "1;4;" : "", author_colour(glyph.author));
}

// Control characters move the cursor, formatting ones reorder what is read.
Glyph glyph_of(char32_t code, std::string_view bytes, const PaintedCell& cell) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  const bool hidden = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
                      category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
                      category == UTF8PROC_CATEGORY_CO || category == UTF8PROC_CATEGORY_CN;
  Glyph glyph{std::string(hidden ? kStray : bytes), 1, cell.author, false, cell.fresh};
  if (!hidden) glyph.width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(code));
  return glyph;
}

class Layout {
 public:
  void add_text(const std::string& bytes, const std::vector<const PaintedCell*>& cells) {
    for (std::size_t at = 0; at < bytes.size();) {
      const Utf8Char c = utf8_char(bytes, at);
      const PaintedCell& cell = *cells[at];
      if (cell.fresh) newest_ = rows_.size() - 1;
      if (!c.valid)
        rows_.back().push_back({kStray, 1, cell.author, false, cell.fresh});
      else if (c.code == U'\n')
        rows_.emplace_back();
      else if (c.code == U'\t')
        rows_.back().push_back({std::string(kTab, ' '), kTab, cell.author, false, cell.fresh});
      else
        rows_.back().push_back(
            glyph_of(c.code, std::string_view(bytes).substr(at, c.length), cell));
      at += static_cast<std::size_t>(c.length);
    }
  }

  void add_masks(int count, bool active) {
    for (int i = 0; i < std::min(count, kDrawnMasks); ++i)
      rows_.back().push_back({active ? kActiveMask : kMask, 1, -1, active, false});
    if (count <= kDrawnMasks) return;
    const std::string more = fmt::format(" +{} ", count - kDrawnMasks);
    rows_.back().push_back({more, static_cast<int>(more.size()), -1, active, false});
  }

  std::vector<Row> shown(int most) const {
    const int count = static_cast<int>(rows_.size());
    if (count <= most) return rows_;
    const int first = std::clamp(static_cast<int>(newest_) - most / 2, 0, count - most);
    return {rows_.begin() + first, rows_.begin() + first + most};
  }

 private:
  std::vector<Row> rows_ = {{}};
  std::size_t newest_ = 0;
};

bool same_kind(const PaintedCell& a, const PaintedCell& b) {
  return a.masked == b.masked && a.active == b.active;
}

// Characters may be cut between cells, but not by masks.
Layout laid_out(const std::vector<PaintedCell>& cells) {
  Layout layout;
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t end = i;
    std::string bytes;
    std::vector<const PaintedCell*> writers;  // by byte
    for (; end < cells.size() && same_kind(cells[end], cells[i]); ++end) {
      bytes += cells[end].bytes;
      writers.resize(bytes.size(), &cells[end]);
    }
    if (cells[i].masked)
      layout.add_masks(static_cast<int>(end - i), cells[i].active);
    else
      layout.add_text(bytes, writers);
    i = end;
  }
  return layout;
}

// What fits, and a sign where something did not.
Row cut(const Row& row, int columns) {
  Row fitting;
  int used = 0, whole = 0;
  for (const Glyph& glyph : row) whole += glyph.width;
  for (const Glyph& glyph : row) {
    if (used + glyph.width > (whole > columns ? columns - 1 : columns)) break;
    used += glyph.width;
    fitting.push_back(glyph);
  }
  if (whole > columns) fitting.push_back({kCut, 1, -1, false, false});
  return fitting;
}

std::string coloured(const Row& row) {
  std::string line, last;
  for (const Glyph& glyph : row) {
    if (std::string now = style(glyph); now != last) {
      line += kReset + now;
      last = std::move(now);
    }
    line += glyph.text;
  }
  return last.empty() ? line : line + kReset;
}

std::string lettered(const Row& row) {
  std::set<char> authors;
  std::string line;
  for (const Glyph& glyph : row) {
    if (glyph.author >= 0) authors.insert(letter(glyph.author));
    line += glyph.text;
  }
  std::string gutter(authors.begin(), authors.end());
  gutter.resize(kGutter - 1, ' ');
  return gutter + " " + line;
}

}  // namespace

std::vector<std::string> picture(const std::vector<PaintedCell>& cells, const PictureFrame& frame) {
  std::vector<std::string> lines;
  for (const Row& row : laid_out(cells).shown(frame.rows)) {
    const Row fitting = cut(row, frame.columns - (frame.colour ? 0 : kGutter));
    lines.push_back(frame.colour ? coloured(fitting) : lettered(fitting));
  }
  return lines;
}

std::string legend(const std::vector<std::string>& names, bool blocks, const PictureFrame& frame) {
  Row row;
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const std::string head = frame.colour ? "■ " : fmt::format("{} ", letter(i));
    row.push_back({(i == 0 ? "" : "  ") + head, i == 0 ? 2 : 4, i, false, false});
    for (std::size_t at = 0; at < names[i].size();) {
      const Utf8Char c = utf8_char(names[i], at);
      if (c.valid)
        row.push_back(
            glyph_of(c.code, std::string_view(names[i]).substr(at, c.length), {.author = i}));
      at += static_cast<std::size_t>(c.length);
    }
  }
  if (blocks) {
    row.push_back({fmt::format("  {} active", kActiveMask), 10, -1, true, false});
    row.push_back({fmt::format("  {} waiting", kMask), 11, -1, false, false});
  }
  const Row fitting = cut(row, frame.columns);
  if (frame.colour) return coloured(fitting);
  std::string line;
  for (const Glyph& glyph : fitting) line += glyph.text;
  return line;
}

}  // namespace umf
