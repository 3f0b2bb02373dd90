#include "bench/worker.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/utc.h"

namespace umf {
namespace {

constexpr int kBeatsPerInterval = 4;
constexpr std::size_t kRecordBytes = 512;  // what is written over must not be shorter

}  // namespace

Heartbeat::Heartbeat(const std::filesystem::path& folder, Identity self, double interval_seconds,
                     Json about, SteadySeconds clock)
    : folder_(folder),
      file_(folder / (self.id + ".json")),
      self_(std::move(self)),
      interval_seconds_(interval_seconds),
      about_(std::move(about)),
      clock_(std::move(clock)),
      began_(clock_()),
      since_(unix_time()),
      watch_(folder, self_, interval_seconds, interval_seconds / 2, clock_) {
  write_file(file_, record());  // never seen in part: it says whose it is
  thread_ = std::thread([this] { keep_beating(); });
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

// Of one length for all beats, as far as it can be: a shorter one would leave the end of the last.
std::string Heartbeat::record() const {
  const Json json = {
      {"id", self_.id},   {"host", self_.host},       {"machine", self_.machine},
      {"pid", self_.pid}, {"started", self_.started}, {"heartbeat", interval_seconds_},
      {"since", since_},  {"beat", beats_},           {"age", age()},
      {"about", about_}};
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::size_t about_bytes =
      about_.dump(-1, ' ', false, Json::error_handler_t::replace).size();
  if (text.size() < kRecordBytes + about_bytes) text.resize(kRecordBytes + about_bytes, ' ');
  return text + "\n";
}

void Heartbeat::beat() {
  const std::lock_guard one(beat_mutex_);
  ++beats_;
  try {
    // Whoever took us for dead may have removed it; with the run's folder it is no use.
    const std::string bytes = record();
    if (!write_over(file_, bytes)) make_file(file_, bytes);
    watch_.answered();
  } catch (const Error&) {
    std::error_code unknown;
    const bool gone = !std::filesystem::exists(folder_, unknown) && !unknown;
    const std::lock_guard lock(mutex_);
    folder_is_gone_ = gone;
  }
}

void Heartbeat::keep_beating() {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> pause(interval_seconds_ / kBeatsPerInterval);
  while (!wake_.wait_for(lock, pause, [this] { return leaving_; })) {
    lock.unlock();
    beat();
    lock.lock();
  }
}

void Heartbeat::forget_the_dead() const {
  for (const std::string& id : workers()) {
    const auto worker = look_at(id);
    if (worker && !worker->may_live()) ::unlink((folder_ / (id + ".json")).c_str());
  }
}

bool Heartbeat::has_left(const std::string& id) const {
  return !is_there(folder_ / (id + ".json"));
}

std::optional<WorkerView> Heartbeat::look_at(const std::string& id) const {
  {
    const std::lock_guard lock(mutex_);
    if (folder_is_gone_)
      throw Error(fmt::format("cannot write '{}'; was the run directory moved or removed?",
                              file_.string()));
  }
  return watch_.look_at(id);
}

}  // namespace umf
