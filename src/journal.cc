#include "journal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

constexpr const char* kKind = "umf-journal-1";

Json outcome_json(const Outcome& outcome, const Journal::States& states) {
  Json path = Json::array();
  for (const Place& place : outcome.path)
    path.push_back({{"state", states.save(place.state)}, {"masks", place.masks}});
  return {{"path", path},
          {"passes", outcome.passes},
          {"complete", outcome.complete},
          {"feasible", outcome.feasible}};
}

Outcome parse_outcome(const Json& json, const Journal::States& states) {
  Outcome outcome;
  for (const Json& place : json.at("path")) {
    outcome.path.push_back({states.load(place.at("state")), place.at("masks").get<int>()});
  }
  outcome.passes = json.at("passes");
  outcome.complete = json.at("complete");
  outcome.feasible = json.at("feasible");
  return outcome;
}

// Whether a recorded walk is what this one would give.
bool answers(const Json& entry, const Trial& trial, int limit) {
  if (!entry.contains("walk")) return false;
  const Json& walk = entry["walk"];
  if (walk.at("action") != trial.action || walk.at("draw") != trial.draw) return false;
  const int passes = walk.at("passes");
  return walk.at("complete").get<bool>() || !walk.at("feasible").get<bool>() ? passes <= limit
                                                                             : passes == limit;
}

}  // namespace

Journal::Journal(World& inner, std::filesystem::path path, const Json& configuration, States states)
    : inner_(inner), path_(std::move(path)), states_(std::move(states)) {
  if (std::filesystem::exists(path_) && std::filesystem::file_size(path_) > 0) load(configuration);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  if (valid_bytes_ == 0) {
    forget_the_rest();
    append({{"kind", kKind}, {"configuration", configuration}});
  }
}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

void Journal::load(const Json& configuration) {
  const std::string text = read_file(path_);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;  // torn: the last write did not finish
    const std::string where = fmt::format("{} at byte {}", path_.string(), begin);
    const Json entry = parse_json(std::string_view(text).substr(begin, end - begin), where);
    if (begin == 0) {
      if (!entry.is_object() || entry.value("kind", "") != kKind) {
        throw Error(fmt::format("'{}' is not a checkpoint of a search; choose another file",
                                path_.string()));
      }
      if (entry["configuration"] != configuration) {
        throw Error(fmt::format(
            "'{}' belongs to another search (other models, actions, problem or options); choose "
            "another file or remove it",
            path_.string()));
      }
      valid_bytes_ = end + 1;
    } else {
      recorded_.push_back({entry, end + 1});
    }
    begin = end + 1;
  }
}

void Journal::forget_the_rest() {
  recorded_.clear();
  if (::ftruncate(file_, static_cast<off_t>(valid_bytes_)) != 0) {
    throw Error(fmt::format("cannot shorten '{}': {}", path_.string(), std::strerror(errno)));
  }
}

void Journal::append(const Json& entry) {
  if (!recorded_.empty()) forget_the_rest();
  const std::string line = entry.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  // At its place, so that a torn line of an earlier run is overwritten.
  const ssize_t put = ::pwrite(file_, line.data(), line.size(), static_cast<off_t>(valid_bytes_));
  if (put != static_cast<ssize_t>(line.size()) || ::fdatasync(file_) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }
  valid_bytes_ += line.size();
  if (::ftruncate(file_, static_cast<off_t>(valid_bytes_)) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }
}

Outcome Journal::walk(const Trial& trial, int limit) {
  if (!recorded_.empty() && answers(recorded_.front().json, trial, limit)) {
    const Outcome outcome = parse_outcome(recorded_.front().json["walk"], states_);
    valid_bytes_ = recorded_.front().end;
    recorded_.pop_front();
    ++replayed_;
    return outcome;
  }
  const Outcome outcome = inner_.walk(trial, limit);
  // Stopped by the user before its limit: not an answer to keep.
  if (!outcome.complete && outcome.feasible && outcome.passes < limit) return outcome;
  Json walk = outcome_json(outcome, states_);
  walk["action"] = trial.action;
  walk["draw"] = trial.draw;
  append({{"walk", walk}});
  return outcome;
}

Verdict Journal::judge(StateId end) {
  if (!recorded_.empty() && recorded_.front().json.contains("verdict")) {
    const Json verdict = recorded_.front().json["verdict"];
    valid_bytes_ = recorded_.front().end;
    recorded_.pop_front();
    ++replayed_;
    // JSON has no infinities: they are written as text.
    const Json& reward = verdict.at("reward");
    return {reward.is_number() ? reward.get<double>() : std::stod(reward.get<std::string>()),
            verdict.at("why")};
  }
  const Verdict verdict = inner_.judge(end);
  const Json reward = std::isfinite(verdict.reward) ? Json(verdict.reward)
                                                    : Json(fmt::format("{}", verdict.reward));
  append({{"verdict", {{"reward", reward}, {"why", verdict.why}}}});
  return verdict;
}

}  // namespace umf
