// A model whose logits are a function of the tokens, and that counts what it is asked.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "backend/reference/predict_row.h"
#include "model/model.h"

namespace umf {

class ScriptedModel final : public Model {
 public:
  // logits(tokens, position) gives one number per vocabulary entry.
  using Script = std::function<std::vector<float>(std::span<const Token> tokens, int position)>;

  ScriptedModel(ModelInfo info, Script logits)
      : info_(std::move(info)), logits_(std::move(logits)) {}

  const ModelInfo& info() const override { return info_; }

  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    std::vector<std::vector<Prediction>> answers;
    for (const Query& query : batch) {
      ++forward_passes_;
      auto& answer = answers.emplace_back();
      const auto sample = [&](const Sampling& sampling) {
        for (const int position : query.positions) {
          answer.push_back(predict_row(logits_(query.tokens, position), position, sampling));
          ++predictions_;
        }
      };
      sample(query.sampling);
      for (const Sampling& sampling : query.more) sample(sampling);
    }
    return answers;
  }

  std::vector<float> logits(std::span<const Token> tokens, int position) const {
    return logits_(tokens, position);
  }
  int forward_passes() const { return forward_passes_; }
  int predictions() const { return predictions_; }

 private:
  ModelInfo info_;
  Script logits_;
  int forward_passes_ = 0, predictions_ = 0;
};

}  // namespace umf
