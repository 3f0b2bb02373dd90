// The line that the log has for each request.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/utc.h"
#include "server/http_message.h"

namespace umf {

// "2026-11-16T22:35:01Z POST /v1/chat/completions 200 1.234 s, 12 + 34 tokens, 56 passes, stop":
// when it came, what it asked for, how long it took, tokens of prompt and answer, and why it ended.
class RequestLog {
 public:
  using Write = std::function<void(const std::string& line)>;
  explicit RequestLog(const Write& write) : write_(write) {}  // may be empty; must outlive it

  // `request` is what was asked for, in printable characters.
  void write(const std::string& request, int status) const;

  RequestNotes notes;

 private:
  const Write& write_;
  const double came_ = unix_time();
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace umf
