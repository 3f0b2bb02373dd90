#include "server/request_log.h"

#include <fmt/core.h>

#include <ctime>

#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr std::size_t kWhyBytes = 200;

std::string in_utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

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
