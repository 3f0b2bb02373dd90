// umf solve --watch: the text as it is unmasked, in place on a terminal.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "cli/picture.h"
#include "cli/redrawn.h"
#include "decode/authors.h"
#include "decode/walker.h"

namespace umf {

// Draws on stderr. One thread at a time.
class Watch {
 public:
  // Why stderr cannot show it, or nothing. The size is looked at once more for every picture.
  static std::string objection();

  // `names` of the authors. Both must outlive this.
  Watch(const Authors& authors, const WalkSetup& setup, std::vector<std::string> names)
      : authors_(authors), setup_(setup), names_(std::move(names)) {}
  // After every pass, cheap to call often: its window, and a line of progress.
  void show(const Pass& pass, const std::string& progress);
  void clear() { drawn_.clear(); }  // removes the picture

 private:
  const Authors& authors_;
  const WalkSetup& setup_;
  std::vector<std::string> names_;
  bool blocks_ = false;  // some walk had blocks
  Redrawn drawn_{stderr};
  std::chrono::steady_clock::time_point last_{};
};

// The cells of a window that are text or will be: nothing behind a token that ends the text. The
// first `active_masks` masks are the active ones.
std::vector<PaintedCell> painted_cells(std::span<const Token> window, const Lexicon& lexicon,
                                       const std::vector<int>& authors,
                                       std::span<const Commit> commits, int active_masks);

}  // namespace umf
