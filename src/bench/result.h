// What came of one problem under one configuration at one budget.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "solve/solution.h"

namespace umf {

struct ResultKey {
  std::string id, configuration;
  long budget = 0;
  std::uint64_t seed = 0;
  auto operator<=>(const ResultKey&) const = default;
};

enum class ResultStatus {
  kDone,
  kUnjudged,  // the answer is there, but its judge failed; says nothing about the answer
  kFailed,    // the search broke down
};
const char* name_of(ResultStatus status);

struct Result {
  ResultKey key;
  ResultStatus status = ResultStatus::kDone;
  int tries = 1;  // of this problem, configuration and budget, this one included

  std::string answer;
  std::optional<std::string> program;  // what a judge runs for it; nothing: the answer itself
  std::optional<double> reward;        // of the search; nothing where it is no number
  bool complete = false;
  std::optional<bool> passed;  // the hidden tests; nothing where there are none or they failed
  std::string why;             // the hidden tests' words, or what went wrong

  std::string stopped;
  long nfe = 0, rollouts = 0, hits = 0, saved_nfe = 0, spared_nfe = 0, partial_nfe = 0,
       switches = 0;
  double equivalents = 0;
  long evaluations = 0;
  long iteration = 0;             // of the rollout that found the answer
  std::vector<std::string> path;  // the answer's actions, one per level

  // What this worker did for it; differs from run to run.
  long passes = 0;  // forward passes really made for the search that gave it, in interrupted runs
                    // too, but not those shared with another configuration. One search may give
                    // several budgets: they stand with the largest.
  double load_seconds = 0, unmask_seconds = 0, reward_seconds = 0, grade_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;  // of the worker so far
  std::string worker;
  double finished = 0;   // Unix time
  std::string device;    // the kind it was made on, where kinds differ in their last bits
  std::string made_for;  // as Manifest::made_for() has it; empty: by an earlier version

  bool settled() const { return status == ResultStatus::kDone; }
};

// As others read it, by itself and as a line; and as workers record it, with a checksum.
OrderedJson result_json(const Result& result);
std::string result_row(const Result& result);
std::string result_line(const Result& result);
// Either. Throws Error naming `where`. Earlier versions wrote no seed: it is that of the line's
// configuration in `seeds`, else 0.
Result parse_result(const std::string& line, const std::string& where,
                    const std::map<std::string, std::uint64_t>& seeds = {});

}  // namespace umf
