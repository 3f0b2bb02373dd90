// Qwen2.5-Math-PRM: how good is each step of a solution?
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/checkpoint.h"
#include "model/transformer.h"

namespace umf {

// Several threads may ask; they take turns.
class ProcessRewardModel {
 public:
  // Throws Error when the checkpoint is not a process reward model.
  ProcessRewardModel(Checkpoint checkpoint, Backend& backend);

  // The probability that each marked step is good: one number per occurrence of the step mark in
  // `tokens`, in order. Tokens after the last mark change nothing.
  std::vector<float> scores(std::span<const Token> tokens);
  // The step scores of an answer: steps are cut at blank lines; an answer without any is one step.
  std::vector<float> scores(const std::string& question, const std::string& answer) {
    return scores(encode(question, answer));
  }
  // The question and the answer with a mark behind each step.
  std::vector<Token> encode(const std::string& question, const std::string& answer) const;

  Token step_mark() const { return step_mark_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  const Backend& backend() const { return backend_; }
  int max_length() const { return checkpoint_.architecture.max_length; }
  const Tokenizer& tokenizer() const { return checkpoint_.tokenizer; }

 private:
  Checkpoint checkpoint_;
  Backend& backend_;
  std::shared_ptr<Residence> residence_;  // before what is loaded
  Transformer transformer_;
  std::shared_ptr<const Linear> hidden_, output_;
  Token step_mark_;
  std::mutex turn_;  // of the transformer and the backend
};

}  // namespace umf
