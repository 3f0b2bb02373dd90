// From the bytes of an answer, as they become final, to pieces that can be sent at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace umf {

// All pieces joined are the answer made valid UTF-8, cut before the first stop string. A piece is
// valid UTF-8 itself: characters that are not whole yet, and what may become a stop string, wait.
class TextStream {
 public:
  explicit TextStream(std::vector<std::string> stop) : stop_(std::move(stop)) {}

  std::string push(std::string_view bytes);
  // What waited, when no more bytes come.
  std::string finish();
  bool stopped() const { return stopped_; }  // a stop string was found: nothing else will be sent

 private:
  std::string take(bool last);

  std::vector<std::string> stop_;
  std::string bytes_;  // not decoded yet: less than a character, after push()
  std::string text_;   // decoded, and not sent: may become a stop string
  bool stopped_ = false;
};

}  // namespace umf
