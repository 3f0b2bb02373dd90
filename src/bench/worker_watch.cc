#include "bench/worker_watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

// Heartbeats that can be asked for; a file that says otherwise is damaged.
constexpr double kShortestBeat = 0.01, kLongestBeat = 3600;
constexpr std::size_t kLargestRecord = 1 << 20;

// What the file says. Where it is not written yet, or damaged, nothing but the name is known.
WorkerView parse_worker(const std::string& text, const std::string& id) {
  WorkerView view;
  view.who.id = id;
  view.who.host = "?";
  view.about = Json::object();
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return view;
  try {
    Identity who = {id, json.at("host"), json.at("machine"), json.at("pid"), json.at("started")};
    const double heartbeat = json.at("heartbeat");
    view.since = json.at("since");
    view.age = json.value("age", 0.0);
    if (json.contains("about") && json["about"].is_object()) view.about = json["about"];
    view.heartbeat = std::clamp(heartbeat, kShortestBeat, kLongestBeat);
    view.who = std::move(who);
  } catch (const Json::exception&) {
  }
  return view;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

AnsweredTime::AnsweredTime(double most, SteadySeconds clock)
    : most_(most), clock_(std::move(clock)), last_(clock_()) {}

void AnsweredTime::answered() {
  const double now = clock_();
  seconds_ += std::min(now - last_, most_);
  last_ = now;
}

const char* name_of(Life life) {
  switch (life) {
    case Life::kAlive:
      return "alive";
    case Life::kUnknown:
      return "unknown";
    case Life::kDead:
      return "dead";
  }
  return "?";
}

WorkerWatch::WorkerWatch(std::filesystem::path folder, Identity self, double patience,
                         double most_between_answers, SteadySeconds clock)
    : folder_(std::move(folder)),
      self_(std::move(self)),
      patience_(patience),
      time_(most_between_answers, std::move(clock)) {}

void WorkerWatch::answered() {
  const std::lock_guard lock(mutex_);
  time_.answered();
}

double WorkerWatch::answered_seconds() const {
  const std::lock_guard lock(mutex_);
  return time_.seconds();
}

std::optional<WorkerView> WorkerWatch::look_at(const std::string& id) {
  const double before = answered_seconds();  // the look takes time in which others go on
  // Opening it makes a network file system look again.
  const auto text = read_if_there(folder_ / (id + ".json"), kLargestRecord);
  const std::lock_guard lock(mutex_);
  if (!text) {
    seen_.erase(id);
    return std::nullopt;
  }
  // A beat is as late as it can have been, and its absence as short.
  const auto [at, first] = seen_.try_emplace(id, Seen{*text, time_.seconds()});
  Seen& seen = at->second;
  if (!first && seen.bytes != *text) seen = {*text, time_.seconds(), true};
  WorkerView view = parse_worker(*text, id);
  view.silence = std::max(0.0, before - seen.at);
  const Presence presence = presence_of(view.who, self_);
  if (presence == Presence::kEnded ||
      view.silence >= kBeatsMissed * std::max(view.heartbeat, patience_))
    view.life = Life::kDead;
  else if (seen.beat || presence == Presence::kRunning)
    view.life = Life::kAlive;
  return view;
}

std::vector<std::string> WorkerWatch::workers() const {
  std::vector<std::string> ids;
  for (const std::string& name : names_in(folder_)) {
    if (name.ends_with(".json")) ids.push_back(name.substr(0, name.size() - 5));
  }
  return ids;
}

}  // namespace umf
