// Regular expressions with named groups, bounded in steps, over text that may be anything.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

// Immutable; threads may share it. A match that would take too many steps counts as none, which
// depends on the text alone.
class Pattern {
 public:
  struct Match {
    std::size_t begin, end;
    std::vector<std::pair<std::size_t, std::size_t>> groups;  // by number; npos where absent

    bool has(int group) const { return groups[static_cast<std::size_t>(group)].first != kNone; }
    std::string_view text(std::string_view subject, int group) const;
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  };

  enum Option { kNone = 0, kDotAll = 1 };
  explicit Pattern(const std::string& pattern, Option option = kNone);
  ~Pattern();
  Pattern(Pattern&&) noexcept;

  bool has_group(const std::string& name) const;
  int group(const std::string& name) const;  // its number; a bug where there is none
  std::vector<Match> find_all(std::string_view text) const;  // from left to right, not overlapping

  // Each match becomes what `replacement(match)` gives.
  template <class Replacement>
  std::string replaced(std::string_view text, const Replacement& replacement) const {
    std::string result;
    std::size_t at = 0;
    for (const Match& match : find_all(text)) {
      result.append(text.substr(at, match.begin - at)).append(replacement(match));
      at = match.end;
    }
    return result.append(text.substr(at));
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace umf
