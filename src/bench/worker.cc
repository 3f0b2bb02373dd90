#include "bench/worker.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

constexpr double kBeatsMissed = 6;

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

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

Json identity_json(const Identity& who) {
  return {{"id", who.id},
          {"host", who.host},
          {"machine", who.machine},
          {"pid", who.pid},
          {"started", who.started}};
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
  std::string safe;
  for (const char c : self.host) safe += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  std::random_device random;
  self.id = fmt::format("{}-{}-{:08x}", safe.substr(0, 64), self.pid, random());
  return self;
}

bool has_ended(const Identity& process, const Identity& self) {
  if (process.machine != self.machine) return false;
  // Works for processes that /proc hides, too.
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return true;
  const auto stat = stat_of(process.pid);
  return stat && (stat->state == 'Z' || stat->started != process.started);
}

std::optional<WorkerView> read_worker(const std::filesystem::path& file, const Identity& self,
                                      double now) {
  struct stat info {};
  std::string text;
  try {
    text = read_file(file);  // opening it makes a network file system look again
  } catch (const Error&) {
    if (std::filesystem::exists(file)) throw;
    return std::nullopt;
  }
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  const Json json = parse_json(text, file.string());
  WorkerView view;
  try {
    view.who = {json.at("id"), json.at("host"), json.at("machine"), json.at("pid"),
                json.at("started")};
    view.since = json.at("since");
    view.silence = now - seconds(info.st_mtim);
    view.alive = view.silence < kBeatsMissed * json.at("heartbeat").get<double>() &&
                 !has_ended(view.who, self);
  } catch (const Json::exception&) {
    throw Error(fmt::format("'{}' does not describe a worker; remove it", file.string()));
  }
  return view;
}

Heartbeat::Heartbeat(const std::filesystem::path& folder, Identity self, double interval_seconds)
    : folder_(folder),
      file_(folder / (self.id + ".json")),
      self_(std::move(self)),
      interval_seconds_(interval_seconds) {
  Json json = identity_json(self_);
  json["heartbeat"] = interval_seconds_;
  json["since"] =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  write_file(file_, json.dump() + "\n");
  thread_ = std::thread([this] { beat(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  wake_.notify_all();
  thread_.join();
  ::unlink(file_.c_str());
}

// A beat that fails is one of those that may be missed.
void Heartbeat::beat() {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> interval(interval_seconds_);
  while (!wake_.wait_for(lock, interval, [this] { return leaving_; }))
    ::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
}

std::optional<WorkerView> Heartbeat::look_at(const std::string& id) const {
  // Touching a file of one's own is asking the file system for the time.
  struct stat info {};
  ::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
  if (::stat(file_.c_str(), &info) != 0) {
    throw Error(fmt::format("cannot read '{}': {}; was the run directory moved or removed?",
                            file_.string(), std::strerror(errno)));
  }
  return read_worker(folder_ / (id + ".json"), self_, seconds(info.st_mtim));
}

}  // namespace umf
