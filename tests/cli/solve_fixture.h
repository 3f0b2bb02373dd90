// Runs of umf solve on a small problem with tiny models.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {

// Letters that some answers have and others lack: rewards of eighths.
inline constexpr const char* kProblem = R"({"id": "letters", "prompt": "Write letters.",
  "reward": {"type": "text", "checks": [{"contains": "a"}, {"contains": "e"}, {"contains": "i"},
    {"contains": "o"}, {"contains": "th"}, {"contains": "er"}, {"lacks": "q"}, {"contains": "#"}]},
  "hidden": {"type": "command", "argv": ["/no/such/program"]}})";

inline std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

// Everything but the seconds, the loads and what was begun early, which differ from run to run.
inline std::string without_seconds(const std::string& out) {
  auto json = nlohmann::ordered_json::parse(out);
  json.erase("seconds");
  json.erase("speculative");
  json.erase("weights");
  return json.dump();
}

// A problem that a shell command judges.
inline std::string judged_by(const std::string& script) {
  return Json{{"id", "p"},
              {"prompt", "Write."},
              {"reward", {{"type", "command"}, {"argv", {"sh", "-c", script}}}}}
      .dump();
}

inline void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Waits until a file has something in it: minutes, for emulated and busy machines.
inline void await(const std::filesystem::path& path) {
  for (int i = 0; i < 30000; ++i) {
    std::error_code absent;
    const auto size = std::filesystem::file_size(path, absent);
    if (!absent && size > 0) return;
    sleep_ms(10);
  }
  ADD_FAILURE() << path << " was never written";
}

class SolveCli : public testing::Test {
 protected:
  SolveCli() { write_file(problem(), kProblem); }

  std::string problem() const { return directory_ / "problem.json"; }
  std::string place(const std::string& name) const { return directory_ / name; }
  // Small and to the end, unless `more` says otherwise.
  std::vector<std::string> one_model(const std::vector<std::string>& more) const {
    return with({"solve", problem(), "--model", "llada=" + tiny("tiny-llada")}, more);
  }
  std::vector<std::string> two_models(const std::vector<std::string>& more) const {
    return with({"solve", problem(), "--model", "dream=" + tiny("tiny-dream"), "--model",
                 "llada=" + tiny("tiny-llada")},
                more);
  }
  static std::vector<std::string> with(std::vector<std::string> words,
                                       const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    const auto add = [&](const char* option, const char* value) {
      if (std::find(words.begin(), words.end(), option) != words.end()) return;
      words.push_back(option);
      words.push_back(value);
    };
    add("--window", "16");
    add("--stop-at-reward", "never");
    return words;
  }
  // Solves with this text as the problem.
  Finished solve_text(const std::string& text, const std::vector<std::string>& more = {}) {
    write_file(problem(), text);
    return umf(one_model(more));
  }

  TemporaryDirectory directory_;
};

}  // namespace umf
