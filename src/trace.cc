#include "trace.h"

#include <nlohmann/json.hpp>

namespace umf {

std::string trace_line(const RolloutEvent& event) {
  nlohmann::ordered_json best = nullptr;  // numbers that are not finite are written as null
  if (event.best) best = event.best->reward;
  const nlohmann::ordered_json json = {{"iteration", event.ledger.rollouts()},
                                       {"from", event.trial.from},
                                       {"action", event.trial.action},
                                       {"draw", event.trial.draw},
                                       {"hit", event.outcome.cached},
                                       {"child", event.outcome.path.front().state},
                                       {"end", event.outcome.path.back().state},
                                       {"passes", event.outcome.passes},
                                       {"nfe", event.ledger.nfe},
                                       {"complete", event.outcome.complete},
                                       {"reward", event.outcome.reward},
                                       {"best", best}};
  return json.dump() + "\n";
}

}  // namespace umf
