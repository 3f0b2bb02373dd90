// Lines on a terminal that take the place of those before.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace umf {

class Redrawn {
 public:
  explicit Redrawn(std::FILE* terminal) : terminal_(terminal) {}
  ~Redrawn() { clear(); }
  Redrawn(const Redrawn&) = delete;
  Redrawn& operator=(const Redrawn&) = delete;

  // Fewer lines than the terminal has rows; each fits into its columns.
  void draw(const std::vector<std::string>& lines);
  void clear();                 // removes them
  void leave() { lines_ = 0; }  // they stay, and what comes next stands below

 private:
  std::FILE* terminal_;
  std::size_t lines_ = 0;  // above the cursor
};

}  // namespace umf
