#include "cli/status_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/status.h"
#include "setup/terminal.h"

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr int kUsualRows = 24;  // where a terminal does not tell

// What models and judges say must neither command the terminal nor break the line.
std::string one_line(std::string_view text) {
  std::string line = harmless(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string text_of(const Ordered& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "devices 0, slurm_job 12_3".
std::string about_text(const Ordered& about) {
  std::string text;
  for (const auto& [key, value] : about.items()) {
    if (value.is_null() || value.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, text_of(value));
  }
  return text;
}

std::string pace_text(int done, double per_hour) {
  std::string text = fmt::format("{} done", done);
  if (per_hour > 0) text += fmt::format(", {:.1f} per hour", per_hour);
  return text;
}

double per_hour(const Ordered& worker) {
  return worker["per_hour"].is_null() ? 0 : worker["per_hour"].get<double>();
}

// "n1 pid 4711".
std::string name_of(const Ordered& worker) {
  return fmt::format("{} pid {}", worker["host"].get<std::string>(), worker["pid"].get<long>());
}

// What it is at: "letters/3 umf for 40 s".
std::string work_of(const Ordered& status, const Ordered& worker) {
  std::string text;
  for (const Ordered& job : status["jobs"]) {
    if (job["worker"] != worker["id"]) continue;
    text += fmt::format("  {} {} for {:.0f} s", job["id"].get<std::string>(),
                        job["configuration"].get<std::string>(), job["seconds"].get<double>());
  }
  return text;
}

std::string worker_line(const Ordered& status, const Ordered& worker) {
  const std::string about = about_text(worker["about"]);
  return fmt::format("    pid {:<8} {:<8} {}{}{}", worker["pid"].get<long>(),
                     worker["life"].get<std::string>(), pace_text(worker["done"], per_hour(worker)),
                     work_of(status, worker), about.empty() ? "" : fmt::format("  ({})", about));
}

struct Machine {
  std::vector<const Ordered*> workers;
  int done = 0;
  double per_hour = 0;
};

std::map<std::string, Machine> machines_of(const Ordered& status) {
  std::map<std::string, Machine> machines;
  for (const Ordered& worker : status["workers"]) {
    Machine& machine = machines[worker["host"]];
    machine.workers.push_back(&worker);
    machine.done += worker["done"].get<int>();
    machine.per_hour += per_hour(worker);
  }
  return machines;
}

std::vector<std::string> machine_lines(const Ordered& status, bool with_workers) {
  std::vector<std::string> lines;
  for (const auto& [host, machine] : machines_of(status)) {
    const std::size_t count = machine.workers.size();
    lines.push_back(fmt::format("{}  {} worker{}, {}", host, count, count == 1 ? "" : "s",
                                pace_text(machine.done, machine.per_hour)));
    if (!with_workers) continue;
    for (const Ordered* worker : machine.workers) lines.push_back(worker_line(status, *worker));
  }
  return lines;
}

// The first lines, and how many more there are.
void shorten(std::vector<std::string>& lines, std::size_t most, const char* what) {
  if (lines.size() <= most) return;
  const std::size_t more = lines.size() - most + 1;
  lines.resize(most - 1);
  lines.push_back(fmt::format("... and {} more {}", more, what));
}

const Ordered* find_worker(const Ordered& status, const Ordered& id) {
  if (status.is_null()) return nullptr;
  for (const Ordered& worker : status["workers"]) {
    if (worker["id"] == id) return &worker;
  }
  return nullptr;
}

bool is_dead(const Ordered& worker) { return worker["life"] == "dead"; }

void add_news_of_workers(const Ordered& before, const Ordered& now,
                         std::vector<std::string>& lines) {
  for (const Ordered& worker : now["workers"]) {
    const Ordered* earlier = find_worker(before, worker["id"]);
    const std::string about = about_text(worker["about"]);
    if (earlier == nullptr)
      lines.push_back(name_of(worker) + " is at work" + (about.empty() ? "" : ": " + about));
    if (is_dead(worker) && (earlier == nullptr || !is_dead(*earlier)))
      lines.push_back(name_of(worker) + " is dead or cut off: its jobs are free");
    else if (earlier != nullptr && is_dead(*earlier) && !is_dead(worker))
      lines.push_back(name_of(worker) + " is back");
  }
  if (before.is_null()) return;
  for (const Ordered& worker : before["workers"]) {
    if (find_worker(now, worker["id"]) == nullptr) lines.push_back(name_of(worker) + " has left");
  }
}

void add_new_troubles(const Ordered& before, const Ordered& now, std::vector<std::string>& lines) {
  const std::vector<std::string> known =
      before.is_null() ? std::vector<std::string>() : troubles_of(before);
  for (std::string& trouble : troubles_of(now)) {
    if (std::ranges::find(known, trouble) == known.end()) lines.push_back(std::move(trouble));
  }
}

}  // namespace

std::vector<std::string> picture_of(const Ordered& status, int columns, int rows) {
  std::vector<std::string> lines = {status_line(status)};
  std::vector<std::string> workers = machine_lines(status, true);
  std::vector<std::string> troubles = troubles_of(status);
  // Besides the first line and the cursor's: a third for troubles, or what workers leave.
  const auto room = static_cast<std::size_t>(std::max((rows > 0 ? rows : kUsualRows) - 2, 2));
  const std::size_t left = room - std::min(room, workers.size());
  shorten(troubles, std::max({std::size_t{1}, room / 3, left}), "troubles");
  if (workers.size() + troubles.size() > room) workers = machine_lines(status, false);
  if (!workers.empty()) shorten(workers, room - troubles.size(), "machines");
  std::ranges::move(workers, std::back_inserter(lines));
  std::ranges::move(troubles, std::back_inserter(lines));
  for (std::string& line : lines) line = std::string(fitting(one_line(line), columns));
  return lines;
}

std::vector<std::string> news_of(const Ordered& before, const Ordered& now) {
  std::vector<std::string> lines;
  add_news_of_workers(before, now, lines);
  add_new_troubles(before, now, lines);
  const bool moved =
      before.is_null() || std::ranges::any_of(std::array{"done", "failed", "total"},
                                              [&](auto key) { return before[key] != now[key]; });
  if (moved) lines.push_back(status_line(now));
  for (std::string& line : lines) line = one_line(line);
  return lines;
}

bool is_over(const Ordered& status) {
  if (status["complete"].get<bool>()) return true;
  return status["left"] == 0 && std::ranges::all_of(status["workers"], is_dead);
}

}  // namespace umf
