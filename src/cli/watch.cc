#include "cli/watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "setup/terminal.h"

namespace umf {
namespace {

constexpr int kColumns = 60, kRows = 12;  // less shows no program
constexpr int kOtherLines = 3;            // progress, legend, and the cursor's
constexpr std::chrono::milliseconds kBetween{66};

bool large_enough(const TerminalSize& size) {
  return size.columns >= kColumns && size.rows >= kRows;
}

}  // namespace

std::string Watch::objection() {
  if (!is_live_terminal(stderr)) return "stderr is no terminal";
  const TerminalSize size = terminal_size(stderr);
  if (large_enough(size)) return "";
  return fmt::format("the terminal has {} columns and {} rows, and {} and {} are needed",
                     size.columns, size.rows, kColumns, kRows);
}

void Watch::show(const Pass& pass, const std::string& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetween) return;
  last_ = now;
  const TerminalSize size = terminal_size(stderr);
  // Not the last column: what stands there makes some terminals begin a new line.
  PictureFrame frame{size.columns - 1, size.rows - kOtherLines, Paint(stderr).on()};
  std::vector<std::string> lines = {std::string(fitting(progress, size.columns))};
  if (large_enough(size)) {
    const auto& [trial, model, lexicon, window, commits, writers] = pass;
    const std::optional<int> active = setup_.active_masks(window, trial.action, model);
    blocks_ = blocks_ || active;
    lines.push_back(legend(names_, blocks_, frame));
    const auto cells = painted_cells(window, lexicon, authors_.of(trial, lexicon, window, writers),
                                     commits, active.value_or(0));
    std::ranges::move(picture(cells, frame), std::back_inserter(lines));
  }
  drawn_.draw(lines);
}

std::vector<PaintedCell> painted_cells(std::span<const Token> window, const Lexicon& lexicon,
                                       const std::vector<int>& authors,
                                       std::span<const Commit> commits, int active_masks) {
  std::vector<PaintedCell> cells;
  for (std::size_t i = 0; i < window.size() && !ends_text(lexicon.tokens, window[i]); ++i) {
    const CellRole role = role_of(lexicon, window[i]);
    PaintedCell cell{.author = authors[i], .masked = role == CellRole::kMask};
    cell.active = cell.masked && active_masks-- > 0;
    if (role == CellRole::kText) cell.bytes = lexicon.tokenizer->bytes(window[i]);
    cell.fresh = std::ranges::any_of(
        commits, [&](const Commit& commit) { return std::cmp_equal(commit.cell, i); });
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace umf
