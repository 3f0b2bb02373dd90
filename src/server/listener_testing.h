// For tests: a listener that writes down what it hears.
#pragma once

#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "server/device_task.h"

namespace umf {

struct RecordingListener final : Listener {
  int patience = INT_MAX;  // how often it says that it wants more
  std::vector<std::pair<int, std::string>> pieces, ends;
  std::vector<Json> states, rollouts;

  int on = 0;  // which device

  bool wanted() override { return patience-- > 0; }
  int device() const override { return on; }
  void text(int choice, std::string piece) override { pieces.emplace_back(choice, piece); }
  void finished(int choice, const std::string& reason, const nlohmann::ordered_json&) override {
    ends.emplace_back(choice, reason);
  }
  void state(int, Json state) override { states.push_back(std::move(state)); }
  void rollout(Json event) override { rollouts.push_back(std::move(event)); }

  std::string joined(int choice) const {
    std::string text;
    for (const auto& [number, piece] : pieces) text += number == choice ? piece : "";
    return text;
  }
};

}  // namespace umf
