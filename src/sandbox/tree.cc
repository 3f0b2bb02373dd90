#include "sandbox/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace umf {
namespace {

// Processes come and go while we look: what cannot be read is gone and counts nothing.
std::string read_proc(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char part[4096];
  ssize_t got;
  while (file && (got = ::read(file.get(), part, sizeof part)) > 0)
    text.append(part, static_cast<std::size_t>(got));
  return text;
}

std::vector<int> numbers(const std::string& text) {
  std::vector<int> found;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end;
    const long number = std::strtol(at, &end, 10);
    if (end == at) break;
    found.push_back(static_cast<int>(number));
    at = end;
  }
  return found;
}

std::vector<int> threads_of(int pid) {
  std::vector<int> found;
  DIR* folder = ::opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') found.push_back(std::atoi(entry->d_name));
  }
  ::closedir(folder);
  return found;
}

// Its own time and that of the children it waited for.
double cpu_of(int pid) {
  const std::string stat = read_proc(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = stat.rfind(')');  // a name may hold anything
  if (name_end == std::string::npos) return 0;
  unsigned long long own_user, own_system;
  long long child_user, child_system;
  if (std::sscanf(stat.c_str() + name_end + 1,
                  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &own_user,
                  &own_system, &child_user, &child_system) != 4)
    return 0;
  static const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<double>(own_user + own_system +
                             static_cast<unsigned long long>(child_user + child_system)) /
         ticks;
}

// Exact, and for everybody to ask.
double cpu_clock_of(int pid) {
  clockid_t clock;
  timespec time;
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

ThreadUse thread_use_of(int pid, int thread) {
  ThreadUse use{.id = thread};
  const std::string folder = fmt::format("/proc/{}/task/{}/", pid, thread);
  unsigned long long ran_ns, waited_ns;
  if (std::sscanf(read_proc(folder + "schedstat").c_str(), "%llu %llu", &ran_ns, &waited_ns) != 2)
    return use;
  use.ran_seconds = static_cast<double>(ran_ns) * 1e-9;
  use.waited_seconds = static_cast<double>(waited_ns) * 1e-9;
  constexpr std::string_view kSlept = "\nvoluntary_ctxt_switches:";
  const std::string status = read_proc(folder + "status");
  const std::size_t at = status.find(kSlept);
  if (at != std::string::npos)
    use.slept = std::strtol(status.c_str() + at + kSlept.size(), nullptr, 10);
  use.runnable = status.find("\nState:\tR") != std::string::npos;
  return use;
}

struct Pages {
  unsigned long mapped = 0, resident = 0;
};
Pages pages_of(int pid) {
  Pages pages;
  const std::string statm = read_proc(fmt::format("/proc/{}/statm", pid));
  if (std::sscanf(statm.c_str(), "%lu %lu", &pages.mapped, &pages.resident) != 2) return {};
  return pages;
}

std::size_t bytes(unsigned long pages) {
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Shared pages in equal parts; swapped ones count. Nothing where that is not for us to know.
std::optional<std::size_t> share_of(int pid) {
  const std::string text = read_proc(fmt::format("/proc/{}/smaps_rollup", pid));
  std::size_t total = 0;
  for (const char* key : {"\nPss:", "\nSwapPss:"}) {
    const std::size_t at = text.find(key);
    if (at != std::string::npos)
      total += std::strtoull(text.c_str() + at + std::strlen(key), nullptr, 10) << 10;
  }
  return text.empty() ? std::nullopt : std::optional(total);
}

std::size_t memory_of(const std::vector<int>& pids, std::size_t inherited) {
  std::size_t total = 0, once = 0;
  for (const int pid : pids) {
    if (const auto share = share_of(pid)) {
      total += *share;
      continue;
    }
    const std::size_t resident = resident_memory_of(pid);
    const std::size_t shared = std::min(resident, inherited);
    total += resident - shared;
    once = std::max(once, shared);
  }
  return total + once;
}

}  // namespace

std::size_t address_space_of(int pid) { return bytes(pages_of(pid).mapped); }
std::size_t resident_memory_of(int pid) { return bytes(pages_of(pid).resident); }

TreeUse look_at_tree(int root, std::size_t memory_limit, std::size_t inherited) {
  TreeUse use;
  std::vector<int> pids = {root};
  std::size_t own = 1;  // the root, and then its children
  for (std::size_t i = 0; i < pids.size(); ++i) {
    ProcessUse process{.pid = pids[i], .program = i >= own, .cpu_seconds = cpu_clock_of(pids[i])};
    const double cpu_seconds = cpu_of(pids[i]);
    use.cpu_seconds += cpu_seconds;
    if (i == 0) use.root_cpu_seconds = cpu_seconds;
    use.memory_bytes += resident_memory_of(pids[i]);
    for (const int thread : threads_of(pids[i])) {
      ++use.processes;
      process.threads.push_back(thread_use_of(pids[i], thread));
      const auto children =
          numbers(read_proc(fmt::format("/proc/{}/task/{}/children", pids[i], thread)));
      pids.insert(pids.end(), children.begin(), children.end());
    }
    use.each.push_back(std::move(process));
    if (i == 0) own = pids.size();
  }
  if (use.memory_bytes > memory_limit) use.memory_bytes = memory_of(pids, inherited);
  return use;
}

}  // namespace umf
