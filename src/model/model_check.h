// One pass over an input that needs nothing but the model, as a number that people can compare.
#pragma once

#include <string>
#include <vector>

#include "model/language_model.h"
#include "model/process_reward_model.h"

namespace umf {

struct ModelCheck {
  std::string backend;
  std::string fingerprint;    // of all numbers of all predictions, bit for bit
  std::vector<Token> tokens;  // predicted for the masks; a reward model predicts none
};

// Tokens at even distances through the vocabulary, then as many marks: 32 in all, or as many as
// `max_length` has room for. docs/models.md#comparing-models
std::vector<Token> check_input(int vocabulary, int max_length, Token mark);

// The predictions for every cell; the marks are masks. Throws Error where they are no numbers.
ModelCheck check_model(LanguageModel& model);
// The scores of the marked steps.
ModelCheck check_model(ProcessRewardModel& model);

}  // namespace umf
