#include "base/process_name.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cctype>

namespace umf {

namespace {

constexpr std::size_t kLongestHost = 40;  // file names have room for 255 bytes in all

}  // namespace

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

std::string process_name() {
  std::string safe;
  for (const char c : host_name().substr(0, kLongestHost))
    safe += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return fmt::format("{}-{}", safe, ::getpid());
}

}  // namespace umf
