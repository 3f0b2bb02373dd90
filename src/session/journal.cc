#include "session/journal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "base/checksum.h"
#include "base/files.h"
#include "base/stopwatch.h"
#include "solve/attempt.h"

namespace umf {
namespace {

constexpr const char* kKind = "umf-journal-5";
constexpr int kLockPatienceMs = 1000, kLockPauseMs = 20;

// Flat: a walk has as many writes as passes.
Json writes_json(const std::vector<Write>& writes) {
  Json list = Json::array();
  for (const auto& [pass, cell, token, model, lexicon] : writes) {
    for (const int number : {pass, cell, token, model, lexicon}) list.push_back(number);
  }
  return list;
}

std::vector<Write> parse_writes(const Json& json) {
  const auto numbers = json.get<std::vector<int>>();
  std::vector<Write> writes;
  for (std::size_t i = 0; i + 4 < numbers.size(); i += 5)
    writes.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]});
  return writes;
}

Json outcome_json(const Outcome& outcome, const Journal::States& states) {
  Json path = Json::array();
  for (const Place& place : outcome.path)
    path.push_back({{"state", states.save(place.state)}, {"masks", place.masks}});
  return {{"path", path},
          {"passes_at", outcome.passes_at},
          {"passes", outcome.passes},
          {"spared", outcome.spared},
          {"partial", outcome.partial},
          {"equivalents", outcome.equivalents},
          {"complete", outcome.complete},
          {"feasible", outcome.feasible},
          {"writes", writes_json(outcome.writes)}};
}

Outcome parse_outcome(const Json& json, const Journal::States& states) {
  Outcome outcome;
  for (const Json& place : json.at("path")) {
    outcome.path.push_back({states.load(place.at("state")), place.at("masks").get<int>()});
  }
  outcome.passes_at = json.at("passes_at").get<std::vector<int>>();
  outcome.passes = json.at("passes");
  outcome.spared = json.at("spared");
  outcome.partial = json.at("partial");
  outcome.equivalents = json.at("equivalents");
  outcome.complete = json.at("complete");
  outcome.feasible = json.at("feasible");
  outcome.writes = parse_writes(json.at("writes"));
  return outcome;
}

bool answers(const Json& entry, StateId end) {
  return entry.contains("verdict") && entry["verdict"].at("of") == end;
}

template <class Work>
auto timed(double& seconds, const Work& work) {
  const Stopwatch stopwatch(seconds);
  return work();
}

std::string journal_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A reward as JSON can hold it: there are no infinities, so that they are written as text.
Json verdict_json(const Verdict& verdict) {
  Json tests = Json::array();
  for (const auto& [name, outcome, why, lines] : verdict.tests)
    tests.push_back({name, static_cast<int>(outcome), why, lines});
  const Json reward = std::isfinite(verdict.reward) ? Json(verdict.reward)
                                                    : Json(fmt::format("{}", verdict.reward));
  return {{"reward", reward}, {"why", verdict.why}, {"tests", tests}};
}

Verdict parse_verdict(const Json& json) {
  const Json& reward = json.at("reward");
  Verdict verdict{reward.is_number() ? reward.get<double>() : std::stod(reward.get<std::string>()),
                  json.at("why")};
  for (const Json& test : json.at("tests"))
    verdict.tests.push_back(
        {test.at(0), static_cast<TestOutcome>(test.at(1).get<int>()), test.at(2), test.at(3)});
  return verdict;
}

// Whether a recorded walk is what this one would give. States are numbered in the order in which
// they are found, so as long as all answers come from the file, equal numbers are equal states.
bool answers(const Json& entry, const Trial& trial, int limit) {
  if (!entry.contains("walk")) return false;
  const Json& walk = entry["walk"];
  if (walk.at("from") != trial.from || walk.at("action") != trial.action ||
      walk.at("draw") != trial.draw) {
    return false;
  }
  const int passes = walk.at("passes");
  return walk.at("complete").get<bool>() || !walk.at("feasible").get<bool>() ? passes <= limit
                                                                             : passes == limit;
}

// Null where there is no journal.
Json recorded_configuration(const std::filesystem::path& path) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(path, absent)) return nullptr;
  const std::string text = read_file(path);
  const Json header =
      Json::parse(text.substr(0, text.find('\n')), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object() || header.value("kind", Json()) != kKind) return nullptr;
  return header.value("configuration", Json());
}

}  // namespace

Json on_device(Json configuration, const std::string& device, const std::filesystem::path& path,
               bool mix) {
  if (device.empty()) return configuration;
  configuration["device"] = device;
  const Json begun = recorded_configuration(path);
  if (!begun.is_object()) return configuration;
  if (!begun.contains("device"))
    configuration.erase("device");
  else if (mix)
    configuration["device"] = begun["device"];
  return configuration;
}

Journal::Journal(World& inner, std::filesystem::path path, const Json& configuration, States states)
    : inner_(inner), path_(std::move(path)), states_(std::move(states)) {
  const std::string header =
      journal_text({{"kind", kKind}, {"configuration", configuration}}) + "\n";
  file_ = open_regular(path_, O_RDWR | O_CREAT, "write");
  lock();
  load(header);
  passes_recorded_ = states_.spent().passes;
  if (valid_bytes_ == 0) {
    forget_the_rest();
    write(header);
  }
}

// Two who write into one file would undo each other's lines. Waits a moment: one who was killed may
// have left a child that is just being started and does not know it yet.
void Journal::lock() {
  for (int i = 0; ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;  // a file system without locks: as good as it gets
    if (i * kLockPauseMs >= kLockPatienceMs) {
      throw CheckpointInUse(fmt::format(
          "'{}' is the checkpoint of a search that is still running; wait for its end, or choose "
          "another file",
          path_.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kLockPauseMs));
  }
}

void Journal::load(const std::string& header) {
  const std::string text = read_file(path_);
  if (header.starts_with(text)) {  // nothing was recorded; the header itself may be torn
    valid_bytes_ = text.size() == header.size() ? header.size() : 0;
    return;
  }
  if (!text.starts_with(header)) refuse(text.substr(0, text.find('\n')));
  valid_bytes_ = header.size();
  for (std::size_t begin = header.size(); begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;  // torn: the last write did not finish
    const std::string where = fmt::format("{} at byte {}", path_.string(), begin);
    const Json line = parse_json(std::string_view(text).substr(begin, end - begin), where);
    const Json entry = line.is_object() ? line.value("entry", Json()) : Json();
    if (!entry.is_object() || line.value("sum", Json()) != checksum(entry.dump())) {
      throw Error(fmt::format("{} is damaged; remove the file to start anew", where));
    }
    recorded_.push_back({entry, end + 1});
    begin = end + 1;
  }
  forget_last_failures();
}

// The judge that failed last may have been mended since, or was killed with the search: it is asked
// again. Failures that the search went on from stay as they are.
void Journal::forget_last_failures() {
  std::size_t keep = recorded_.size();
  for (std::size_t i = recorded_.size(); i-- > 0;) {
    const Json& entry = recorded_[i].json;
    if (!entry.contains("verdict")) continue;
    if (!std::isnan(parse_verdict(entry["verdict"]).reward)) break;
    keep = i;
  }
  recorded_.resize(keep);
}

void Journal::refuse(const std::string& first_line) const {
  const Json json = Json::parse(first_line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("kind", Json()) != kKind) {
    throw Error(
        fmt::format("'{}' is not a checkpoint of a search; choose another file", path_.string()));
  }
  throw Error(fmt::format(
      "'{}' belongs to another search (other models, actions, problem or options); choose another "
      "file or remove it",
      path_.string()));
}

void Journal::forget_the_rest() {
  recorded_.clear();
  if (::ftruncate(file_.get(), static_cast<off_t>(valid_bytes_)) != 0) {
    throw Error(fmt::format("cannot shorten '{}': {}", path_.string(), std::strerror(errno)));
  }
}

void Journal::append(Json entry, double seconds) {
  if (!recorded_.empty()) forget_the_rest();
  const long passes = states_.spent().passes;
  entry["seconds"] = seconds;
  entry["passes"] = passes - passes_recorded_;
  passes_recorded_ = passes;
  // The sum is that of the text, in which bytes that are not UTF-8 are replaced.
  const std::string text = journal_text(entry);
  write(fmt::format(R"({{"entry":{},"sum":"{}"}})", text, checksum(text)) + "\n");
}

void Journal::write(const std::string& line) {
  // At its place, so that a torn line of an earlier run is overwritten.
  const ssize_t put =
      ::pwrite(file_.get(), line.data(), line.size(), static_cast<off_t>(valid_bytes_));
  if (put != static_cast<ssize_t>(line.size()) || ::fdatasync(file_.get()) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }
  valid_bytes_ += line.size();
  if (::ftruncate(file_.get(), static_cast<off_t>(valid_bytes_)) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }
}

template <class Asked>
Json Journal::replay(const char* kind, const Asked& is_asked) {
  earlier_seconds_ = 0;
  if (recorded_.empty() || !is_asked(recorded_.front().json)) return nullptr;
  const auto [entry, end] = std::move(recorded_.front());
  recorded_.pop_front();
  valid_bytes_ = end;
  ++replayed_;
  earlier_seconds_ = entry.at("seconds");
  replayed_seconds_ += earlier_seconds_;
  earlier_passes_ += entry.at("passes").get<long>();
  return entry.at(kind);
}

Outcome Journal::walk(const Trial& trial, int limit) {
  const Json known =
      replay("walk", [&](const Json& entry) { return answers(entry, trial, limit); });
  if (!known.is_null()) return parse_outcome(known, states_);
  const double loaded = states_.spent().load_seconds;
  double seconds = 0;
  const Outcome outcome = timed(seconds, [&] { return inner_.walk(trial, limit); });
  // Stopped by the user before its limit: not an answer to keep.
  if (!outcome.complete && outcome.feasible && outcome.passes < limit) return outcome;
  Json walk = outcome_json(outcome, states_);
  walk["from"] = trial.from;
  walk["action"] = trial.action;
  walk["draw"] = trial.draw;
  // Whoever goes on loads the models again.
  const double loading = states_.spent().load_seconds - loaded;
  append({{"walk", walk}}, std::max(0.0, seconds - loading));
  return outcome;
}

Verdict Journal::judge(StateId end) {
  if (!judged_.insert(end).second) {
    earlier_seconds_ = 0;
    return inner_.judge(end);
  }
  const Json known = replay("verdict", [&](const Json& entry) { return answers(entry, end); });
  if (!known.is_null()) {
    Verdict verdict = parse_verdict(known);
    states_.remember(end, verdict);
    return verdict;
  }
  double seconds = 0;
  const Verdict verdict = timed(seconds, [&] { return inner_.judge(end); });
  Json json = verdict_json(verdict);
  json["of"] = end;
  append({{"verdict", json}}, seconds);
  return verdict;
}

}  // namespace umf
