// {"type": "command", "argv": [...], "timeout_ms": N}: the user's own program. It receives
// {"id","prompt","answer"} as JSON on stdin and prints a number or {"reward","why"}.
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/cancelled.h"
#include "base/error.h"
#include "base/json_fields.h"
#include "base/process.h"
#include "reward/reward.h"

namespace umf {
namespace {

Verdict failed(const std::string& why) { return {std::numeric_limits<double>::quiet_NaN(), why}; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Verdict parse_output(std::string_view text) {
  double reward = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), reward);
  if (failure == std::errc() && end == text.data() + text.size()) return {reward, ""};
  try {
    const Json json = parse_json(text, "the judge's output");
    if (json.is_object() && json.contains("reward") && json["reward"].is_number()) {
      return {json["reward"].get<double>(), json.value("why", "")};
    }
  } catch (const std::exception&) {
    // Said below in the words of this reward.
  }
  return failed(fmt::format("the judge printed neither a number nor {{\"reward\",\"why\"}}: '{}'",
                            text.substr(0, 80)));
}

// As run_process() finds it: by its path, or in PATH.
bool can_be_run(const std::string& program) {
  const auto runs = [](const std::string& path) {
    struct stat about;
    return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return runs(program);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (runs((folder.empty() ? "." : folder) + "/" + program)) return true;
  }
  return false;
}

class CommandReward final : public Reward {
 public:
  CommandReward(std::vector<std::string> argv, ProcessLimits limits, Asked asked,
                std::stop_token stop, std::string where)
      : argv_(std::move(argv)),
        limits_(limits),
        asked_(std::move(asked)),
        stop_(std::move(stop)),
        where_(std::move(where)) {}

  void check() override {
    if (!can_be_run(argv_[0]))
      throw Error(
          fmt::format("{}: the judge '{}' is no program that can be run", where_, argv_[0]));
  }

  Verdict judge(std::string_view answer) override {
    const Json input = {{"id", asked_.id}, {"prompt", asked_.prompt}, {"answer", answer}};
    const std::string line = input.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const ProcessResult result = run_process(argv_, line, limits_, stop_);
    if (result.stopped) throw Cancelled();
    if (result.timed_out)
      return failed(fmt::format("the judge gave no answer within {} ms", limits_.timeout_ms));
    if (result.signal != 0)
      return failed(fmt::format("the judge was ended by signal {}", result.signal));
    if (result.exit_status != 0)
      return failed(fmt::format("the judge ended with status {}", result.exit_status));
    return parse_output(trimmed(result.out));
  }

 private:
  std::vector<std::string> argv_;
  ProcessLimits limits_;
  Asked asked_;
  std::stop_token stop_;
  std::string where_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked& asked, const std::string& where,
                             const JudgeTools& tools) {
  const JsonFields fields(spec, where);
  const std::string has = "a command reward has 'argv' and 'timeout_ms'";
  fields.only({"type", "argv", "timeout_ms"}, has);
  ProcessLimits limits;
  if (const Json* timeout = fields.find("timeout_ms")) {
    if (!timeout->is_number() || *timeout <= 0 || *timeout > 86'400'000)
      throw Error(fmt::format("{}: {}; 'timeout_ms' is not understood", where, has));
    limits.timeout_ms = timeout->get<int>();
  }
  const Json* argv = fields.find("argv");
  if (argv == nullptr || !argv->is_array() || argv->empty())
    throw Error(where + ": a command reward needs 'argv', a list of strings");
  std::vector<std::string> words;
  for (const Json& word : *argv) {
    if (!word.is_string()) throw Error(where + ": a command reward's 'argv' must hold strings");
    words.push_back(word);
  }
  if (tools.most_judging_ms > 0)
    limits.timeout_ms = std::min(limits.timeout_ms, tools.most_judging_ms);
  return std::make_unique<CommandReward>(std::move(words), limits, asked, tools.stop, where);
}

}  // namespace

const RewardEntry kCommandReward = {.type = "command", .make = make};

}  // namespace umf
