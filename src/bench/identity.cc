#include "bench/identity.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <random>

#include "base/error.h"
#include "base/files.h"
#include "base/process_name.h"

namespace umf {
namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

struct ProcessStat {
  char state = '?';
  std::string started;
};

// From /proc/PID/stat, whose second field is a name in parentheses that may hold anything. Nothing
// where it cannot be read.
std::optional<ProcessStat> stat_of(long pid) {
  std::string text;
  try {
    text = read_file(fmt::format("/proc/{}/stat", pid));
  } catch (const Error&) {
    return std::nullopt;
  }
  std::size_t at = text.rfind(')');
  if (at == std::string::npos || at + 2 >= text.size()) return std::nullopt;
  ProcessStat stat{text[at + 2], ""};
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  stat.started = text.substr(at + 1, text.find(' ', at + 1) - at - 1);
  return stat;
}

}  // namespace

Identity this_process() {
  Identity self;
  self.host = host_name();
  self.pid = ::getpid();
  if (const auto stat = stat_of(self.pid)) self.started = stat->started;
  std::error_code unknown;
  self.machine = trimmed(read_file("/proc/sys/kernel/random/boot_id")) + " " +
                 std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
  std::random_device random;
  self.id = fmt::format("{}-{:08x}", process_name(), random());
  return self;
}

Presence presence_of(const Identity& process, const Identity& self) {
  if (process.machine != self.machine) return Presence::kUnknown;
  // Works for processes that /proc hides, too.
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return Presence::kEnded;
  const auto stat = stat_of(process.pid);
  if (!stat) return Presence::kUnknown;
  if (stat->state == 'Z' || stat->state == 'X' || stat->started != process.started)
    return Presence::kEnded;
  return stat->state == 'T' || stat->state == 't' ? Presence::kFrozen : Presence::kRunning;
}

bool has_ended(const Identity& process, const Identity& self) {
  return presence_of(process, self) == Presence::kEnded;
}

}  // namespace umf
