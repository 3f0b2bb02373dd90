// Runs of umf bench over a few problems with tiny models, and what they leave behind.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {

inline Json text_checks(const std::string& letters) {
  Json checks = Json::array();
  for (const char c : letters) checks.push_back({{"contains", std::string(1, c)}});
  return {{"type", "text"}, {"checks", checks}};
}

inline std::vector<Json> lines_of(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

inline void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Minutes, for emulated and busy machines.
inline void await(const std::function<bool()>& there) {
  for (int i = 0; i < 30000; ++i) {
    if (there()) return;
    sleep_ms(10);
  }
  FAIL() << "it never came";
}

class BenchCli : public testing::Test {
 protected:
  BenchCli() {
    ::unsetenv("SLURM_JOB_ID");  // workers that waited would not
    problems(5, text_checks("ae"));
    write_file(place("configs"), R"([
      {"name": "umf", "action": ["model=dream,temperature=0.4", "model=llada"]},
      {"name": "bon", "no-cache": false, "search": "best-of-n", "action": ["model=llada,temperature=0.8"]},
      {"name": "pair", "search": "pair", "budget": [32, 64],
       "action": ["model=dream,temperature=0.7", "model=llada,temperature=0.8"]}])");
  }
  std::string place(const std::string& name) const { return directory_ / name; }

  void problems(int count, const Json& hidden) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      lines += Json{{"id", "letters/" + std::to_string(i)},
                    {"prompt", "Write letters, as number " + std::to_string(i)},
                    {"reward", text_checks("aeiot#q")},
                    {"hidden", hidden}}
                   .dump() +
               "\n";
    }
    write_file(place("problems"), lines);
  }

  // Without a choice: all three configurations in a window of 16.
  std::vector<std::string> bench(const std::string& out,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"bench",     place("problems"),
                                      "--out",     place(out),
                                      "--model",   "dream=" + tiny("tiny-dream"),
                                      "--model",   "llada=" + tiny("tiny-llada"),
                                      "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const auto add = [&](const char* option, const std::string& value) {
      if (std::find(words.begin(), words.end(), option) != words.end()) return;
      words.insert(words.end(), {option, value});
    };
    add("--window", "16");
    add("--stop-at-reward", "never");
    add("--budget", "16,40,100");
    add("--heartbeat", "0.2");
    return words;
  }
  std::vector<std::string> three(const std::string& out) const {
    return bench(out, {"--configs", place("configs"), "--quiet"});
  }
  std::vector<std::string> one(const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--action", "model=dream", "--action", "model=llada", "--quiet"});
    return bench(out, more);
  }

  // The results in order, without what differs from run to run.
  std::vector<Json> results(const std::string& out) const {
    std::vector<Json> lines = lines_of(place(out + "/results.jsonl"));
    for (Json& line : lines) {
      for (const char* key :
           {"seconds", "passes", "peak_memory_bytes", "worker", "finished", "made_for"})
        line.erase(key);
    }
    return lines;
  }
  Json status(const std::string& out) const {
    const Finished run = umf({"status", place(out), "--json"});
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
  }

  TemporaryDirectory directory_;
};

}  // namespace umf
