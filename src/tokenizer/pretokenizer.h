// Cuts text into the pieces that merges may not cross.
#pragma once

#include <string_view>
#include <vector>

#include "tokenizer/regex.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

// Immutable; threads may share it.
class Pretokenizer {
 public:
  // Throws Error, naming `source` and the rule, when a regex is not supported.
  Pretokenizer(const std::vector<SplitRule>& rules, const std::string& source);

  // The pieces of `text`, which is valid UTF-8. Each rule cuts the pieces of the one before.
  // `keep_gaps`: the pieces hold all of `text` even where a rule says to drop what it does not
  // match.
  std::vector<std::string_view> cut(std::string_view text, bool keep_gaps) const;

 private:
  struct Rule {
    Regex regex;
    bool drop_gaps;
  };
  std::vector<Rule> rules_;
};

}  // namespace umf
