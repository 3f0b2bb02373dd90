// Which boxes of a text make the answer.
#include <optional>
#include <vector>

#include "math/latex_normal.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr int kNestingLimit = 8;

struct Box {
  std::size_t begin, end;  // of the whole command
  std::string content;
  bool closed = true;
};

// Behind the command of a box that stands at `at`; 0 where none does.
std::size_t behind_box_command(std::string_view text, std::size_t at) {
  for (const std::string_view command : {"\\boxed", "\\fbox"}) {
    if (text.substr(at).starts_with(command)) return at + command.size();
  }
  return 0;
}

std::vector<Box> all_boxes(std::string_view text) {
  std::vector<Box> boxes;
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string_view::npos;) {
    const std::size_t behind = behind_box_command(text, at);
    if (behind == 0) {
      ++at;
      continue;
    }
    std::size_t open = behind;
    while (open < text.size() && is_space(text[open])) ++open;
    if (open >= text.size() || text[open] != '{') {
      boxes.push_back({at, text.size(), std::string(text.substr(behind)), false});
      return boxes;
    }
    const std::size_t end = after_closing_brace(text, open);
    if (end == std::string_view::npos) {
      boxes.push_back({at, text.size(), std::string(text.substr(open)), false});
      return boxes;
    }
    boxes.push_back({at, end, std::string(text.substr(open + 1, end - open - 2))});
    at = end;
  }
  return boxes;
}

bool belongs_together(std::string_view between, const Box& earlier, const Box& later) {
  const std::size_t distance = count_characters(between);
  if (distance < 10) return true;
  if (distance >= 70 || earlier.content == later.content) return false;
  return between.find_first_of(",;") != std::string_view::npos || contains(between, "and") ||
         contains(between, "or");
}

std::string opened(std::string_view latex, Boxes which, int depth) {
  std::vector<Box> boxes = all_boxes(latex);
  if (boxes.empty()) return std::string(latex);
  if (!boxes.back().closed) return boxes.back().content;
  std::size_t first = which == Boxes::kAll ? 0 : boxes.size() - 1;
  if (which == Boxes::kLast) {
    while (first > 0) {
      const Box &earlier = boxes[first - 1], &later = boxes[first];
      const std::string_view between = latex.substr(earlier.end, later.begin - earlier.end);
      if (!belongs_together(between, earlier, later)) break;
      --first;
    }
  }
  std::string content;
  for (std::size_t i = first; i < boxes.size(); ++i) {
    if (i > first) content += ",";
    content += boxes[i].content;  // a box inside a box is opened by the next round
  }
  return depth < kNestingLimit ? opened(content, which, depth + 1) : content;
}

}  // namespace

std::string boxed_content(std::string_view latex, Boxes boxes) { return opened(latex, boxes, 0); }

}  // namespace umf
