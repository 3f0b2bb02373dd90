#include "model/process_reward_model.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "base/elementary.h"
#include "base/error.h"

namespace umf {
namespace {

constexpr const char* kStepMark = "<extra_0>";
constexpr const char* kInstruction =
    "Please reason step by step, and put your final answer within \\boxed{}.";

const std::string kScoreTensors[] = {"score.0.weight", "score.0.bias", "score.2.weight",
                                     "score.2.bias"};

Checkpoint checked(Checkpoint checkpoint) {
  if (checkpoint.family != &kQwenPrm) {
    throw Error(fmt::format("'{}' is a {} model, not a process reward model",
                            checkpoint.location.place(), checkpoint.family->name));
  }
  return checkpoint;
}

Token find_step_mark(const Tokenizer& tokenizer) {
  if (const auto mark = tokenizer.find(kStepMark)) return *mark;
  throw Error(fmt::format("the reward model's tokenizer has no token '{}'", kStepMark));
}

// The steps of an answer: its parts between blank lines that are not empty.
std::vector<std::string> split_steps(const std::string& answer) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= answer.size();) {
    const std::size_t end = std::min(answer.find("\n\n", begin), answer.size());
    if (end > begin) steps.push_back(answer.substr(begin, end - begin));
    begin = end + 2;
  }
  if (steps.empty()) steps.push_back(answer);
  return steps;
}

}  // namespace

ProcessRewardModel::ProcessRewardModel(Checkpoint checkpoint, Backend& backend)
    : checkpoint_(checked(std::move(checkpoint))),
      backend_(backend),
      residence_(backend.begin_model(checkpoint_.architecture.shape(), 0)),
      transformer_(backend, checkpoint_.architecture, checkpoint_.names, checkpoint_.weights,
                   checkpoint_.beside(kScoreTensors)),
      step_mark_(find_step_mark(checkpoint_.tokenizer)) {
  const int width = checkpoint_.architecture.hidden;
  const auto load = [&](const char* layer, int outputs) {
    const HostTensor weight =
        checkpoint_.weights.matrix(fmt::format("score.{}.weight", layer), outputs, width);
    const HostTensor bias =
        checkpoint_.weights.vector(fmt::format("score.{}.bias", layer), outputs);
    return backend_.load_linear({&weight, 1}, {&bias, 1});
  };
  hidden_ = load("0", width);
  output_ = load("2", 2);
}

std::vector<float> ProcessRewardModel::scores(std::span<const Token> tokens) {
  std::vector<int> marks;
  for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
    if (tokens[i] == step_mark_) marks.push_back(i);
  }
  if (marks.empty()) return {};
  const std::lock_guard turn(turn_);
  const int count = static_cast<int>(marks.size());
  const Matrix states = transformer_.forward(tokens, marks);
  const Matrix hidden = backend_.allocate_for(*hidden_, count, hidden_->outputs);
  const Matrix classes = backend_.allocate_logits(count, 2);
  backend_.project(states, *hidden_, 0, hidden);
  backend_.relu(hidden);
  backend_.project(hidden, *output_, 0, classes);
  std::vector<float> logits(2 * static_cast<std::size_t>(count)), scores;
  backend_.read(classes, logits);
  for (int i = 0; i < count; ++i) {
    // softmax of two classes, the second of which means good
    scores.push_back(static_cast<float>(
        1.0 / (1.0 + elementary::exp(double{logits[2 * i]} - logits[2 * i + 1]))));
  }
  return scores;
}

std::vector<Token> ProcessRewardModel::encode(const std::string& question,
                                              const std::string& answer) const {
  // The layout of the chat template around the steps; the marks are put in as tokens, so that
  // nothing in the question or the answer can pass for one.
  const std::vector<Message> opening = {{"system", kInstruction}, {"user", question}};
  std::vector<Token> tokens = encode_chat(tokenizer(), checkpoint_.chat_template(), opening, true);
  for (const std::string& step : split_steps(answer)) {
    const std::vector<Token> ids = tokenizer().encode(step, SpecialText::kPlain);
    tokens.insert(tokens.end(), ids.begin(), ids.end());
    tokens.push_back(step_mark_);
  }
  return tokens;
}

}  // namespace umf
