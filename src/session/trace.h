// A search as JSON Lines, one event per rollout: the tree, and the text at every moment of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "decode/states.h"
#include "solve/solve.h"

namespace umf {

// Makes the events of one search, in order; docs/formats.md describes them. What an earlier event
// has told (the verdict on an end, the names of the tests) is not told again.
class TraceWriter {
 public:
  // Those of the search; must outlive this.
  explicit TraceWriter(const States& states) : states_(states) {}

  nlohmann::ordered_json event(const RolloutEvent& event);

 private:
  struct Opened {
    StateId end;  // of the text
    Opening opening;
  };
  static nlohmann::ordered_json opened_json(const Opened& opened);
  nlohmann::ordered_json verdict_json(const Verdict& verdict);

  const States& states_;
  std::unordered_set<StateId> judged_;
  std::unordered_map<StateId, Opened> opened_;  // by the state that it led to
  std::vector<std::string> test_names_;
};

// An event with its newline; bytes that are no UTF-8 are replaced.
std::string trace_line(const nlohmann::ordered_json& event);

}  // namespace umf
