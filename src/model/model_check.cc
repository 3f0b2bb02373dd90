#include "model/model_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"

namespace umf {
namespace {

constexpr int kCells = 32;

void add(std::string& bytes, const auto& number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string fingerprint_of(const std::string& bytes) { return sha256(bytes).substr(0, 16); }

// Logits that are no numbers count as impossible, so that a row of them predicts nothing.
[[noreturn]] void refuse_damage(const Checkpoint& checkpoint) {
  throw Error(
      fmt::format("{}: its predictions are no numbers; the weights are damaged, or they are not "
                  "those of config.json",
                  checkpoint.location.place()));
}

}  // namespace

std::vector<Token> check_input(int vocabulary, int max_length, Token mark) {
  const int cells = std::min(kCells, max_length), words = cells / 2;
  std::vector<Token> tokens(cells, mark);
  for (int i = 0; i < words; ++i)
    tokens[i] = static_cast<Token>(std::int64_t{vocabulary} * (2 * i + 1) / kCells);
  return tokens;
}

ModelCheck check_model(LanguageModel& model) {
  const ModelInfo& info = model.info();
  const Token mask = info.tokens.mask;
  const std::vector<Token> input = check_input(info.vocabulary, info.max_length, mask);
  // A model that sees its context in a way of its own is asked behind it.
  const auto prompt = static_cast<int>(info.causal_context ? input.size() / 2 : 0);
  std::vector<int> positions(input.size() - prompt);
  std::iota(positions.begin(), positions.end(), prompt);
  const Query query{
      .tokens = input, .positions = positions, .sampling = {.never = {mask}}, .prompt = prompt};
  ModelCheck check{.backend = std::string(model.backend().name())};
  std::string bytes;
  const std::vector<Prediction> predictions = model.predict({&query, 1}).front();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto& [token, confidence, margin, entropy, probability] = predictions[i];
    if (!(confidence > 0)) refuse_damage(model.checkpoint());
    add(bytes, token);
    for (const float number : {confidence, margin, entropy}) add(bytes, number);
    if (std::cmp_greater_equal(positions[i], input.size() / 2)) check.tokens.push_back(token);
  }
  check.fingerprint = fingerprint_of(bytes);
  return check;
}

ModelCheck check_model(ProcessRewardModel& model) {
  const Checkpoint& checkpoint = model.checkpoint();
  std::string bytes;
  const std::vector<Token> input =
      check_input(checkpoint.architecture.vocabulary, model.max_length(), model.step_mark());
  for (const float score : model.scores(input)) {
    if (std::isnan(score)) refuse_damage(checkpoint);
    add(bytes, score);
  }
  return {.backend = std::string(model.backend().name()), .fingerprint = fingerprint_of(bytes)};
}

}  // namespace umf
