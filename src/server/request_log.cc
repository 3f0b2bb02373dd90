#include "server/request_log.h"

#include <fmt/core.h>

#include "base/utc.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr std::size_t kWhyBytes = 200;

}  // namespace

void RequestLog::write(const std::string& request, int status) const {
  if (!write_) return;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  std::string line = fmt::format("{} {} {} {:.3f} s", in_utc(came_), request, status, took.count());
  if (notes.answered)
    line += fmt::format(", {} + {} tokens, {} passes", notes.prompt_tokens, notes.completion_tokens,
                        notes.passes);
  // A message may quote what a client sent.
  if (!notes.why.empty()) line += ", " + excerpt(notes.why, kWhyBytes);
  write_(line);
}

}  // namespace umf
