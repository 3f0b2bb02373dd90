// The seam to whatever judges an answer.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/verdict.h"

namespace umf {

class ProcessRewardModel;
class Sandbox;

class Reward {  // made for one problem; may judge on several threads at once
 public:
  virtual ~Reward() = default;
  // Throws Cancelled once its tools are asked to stop.
  virtual Verdict judge(std::string_view answer) = 0;
  // Before the first answer: throws Error where none could ever be judged, as with a test that is
  // no Python.
  virtual void check() {}
  // Above 0: every reward is a share of this many equal parts, as tests passed are of all tests.
  virtual int parts() const { return 0; }
  // Whether many more texts may be judged for the sake of a few forward passes less: tests and
  // checks, not models or programs of a user's.
  virtual bool cheap() const { return false; }
};

// What rewards may need, made when first asked for and shared by all problems of a run. Must
// outlive the rewards. A reward that needs what is not there is an Error.
struct JudgeTools {
  std::function<Sandbox&()> sandbox;
  std::function<ProcessRewardModel&(const std::string& where)> process_reward_model;
  std::stop_token stop = {};  // the sandbox hears it by itself (StoppableSandbox)
  // Every test of a program runs, by the rules of the public graders. Otherwise a program that ran
  // out of time in two tests is not asked again, and those left count as failed: rewards are shares
  // of all tests all the same.
  bool every_test = false;
  // No program or command that judges an answer runs longer, whatever its tests ask for; tests that
  // are not done by then have failed. 0: as long as the tests ask for.
  int most_judging_ms = 0;
};

// The question that an answer is for, as far as judges look at it.
struct Asked {
  std::string id, prompt;
};

// All that is particular to one type of reward; stands at the end of its file.
struct RewardEntry {
  const char* type;
  std::unique_ptr<Reward> (*make)(const Json& spec, const Asked& asked, const std::string& where,
                                  const JudgeTools& tools);
  // Runs and opens nothing that whoever wrote the spec may choose: for every client of a server.
  bool harmless = false;
  // For every client of a server that this machine alone can reach: they can run programs here
  // anyway.
  bool harmless_here = false;
  // Runs the program in an answer; the spec's "extract" and "prefill" say where it is.
  bool runs_program = false;
  // The field with the tests that a search sees: a list, or the text of one, packed or not.
  const char *visible_list = nullptr, *visible_text = nullptr;
  // Whether the hidden spec that a data set makes of it has the visible tests as well, and what its
  // "tests" then says for the hidden ones alone, where it chooses.
  bool hidden_has_all = false;
  const char* hidden_tests = nullptr;
};

// All of them, in the order they are listed to users.
extern const RewardEntry kPythonTestsReward, kMathAnswerReward, kPrmReward, kCommandReward,
    kTextReward, kJsonReward, kAllReward, kEvalPlusReward, kHumanEvalReward, kMbppReward,
    kLiveCodeBenchReward;
inline constexpr const RewardEntry* kRewards[] = {
    &kPythonTestsReward, &kMathAnswerReward, &kPrmReward,          &kCommandReward,
    &kTextReward,        &kJsonReward,       &kAllReward,          &kEvalPlusReward,
    &kHumanEvalReward,   &kMbppReward,       &kLiveCodeBenchReward};

// The one that a spec names; nullptr where it names none.
const RewardEntry* find_reward(const Json& spec);

// A reward from a problem file's "reward" or "hidden" object, by its "type". `where` names the file
// in errors. Throws Error for an unknown type or key.
std::unique_ptr<Reward> make_reward(const Json& spec, const Asked& asked, const std::string& where,
                                    const JudgeTools& tools = {});

}  // namespace umf
