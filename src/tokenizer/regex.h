// A compiled regex that comes from a file nobody vouches for: bounded in size, steps and memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace umf {

// Immutable; threads may share it.
class Regex {
 public:
  struct Match {
    std::size_t begin, end;
  };

  // `where` names the pattern's place in errors. Throws Error when it does not compile.
  Regex(const std::string& pattern, const std::string& where);

  // The first match at or after `from`, which is a character boundary of `text`; `text` is valid
  // UTF-8. False when there is none. Throws Error when the pattern needs too many steps.
  bool find(std::string_view text, std::size_t from, Match& match) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace umf
