// A judge and models for searches through the decoder: every rule at work, milliseconds per search.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decode/walk_testing.h"
#include "reward/reward.h"

namespace umf {

// A judge made of a function; remembers what it was asked.
class Judge final : public Reward {
 public:
  explicit Judge(std::function<double(std::string_view)> worth) : worth_(std::move(worth)) {}
  Verdict judge(std::string_view answer) override {
    texts.emplace_back(answer);
    const std::string size = std::to_string(answer.size());
    return {
        worth_(answer),
        "worth " + size,
        {{"one", TestOutcome::kPass, ""}, {"two", TestOutcome::kError, "raised", {"f(", size}}}};
  }
  std::vector<std::string> texts;

 private:
  std::function<double(std::string_view)> worth_;
};

// A number from 0 to 1 that every byte of the answer has a part in.
inline double worth_of(std::string_view answer) {
  std::uint32_t hash = 2166136261;
  for (const unsigned char c : answer) hash = (hash ^ c) * 16777619;
  return (hash >> 8) % 1000 / 999.0;
}

// Two tokenizers, greedy and drawn actions, and the rule whose states count their steps.
struct HashingModels {
  ScriptedModel dream = hashing_model(dream_lexicon(), 5);
  ScriptedModel llada = hashing_model(llada_lexicon(), 6);

  WalkSetup setup(int window = 20) {
    return {{{&dream, dream_lexicon().tokenizer, dream_lexicon().tokenizer->encode_bytes("ask")},
             {&llada, llada_lexicon().tokenizer, llada_lexicon().tokenizer->encode_bytes("ask")}},
            {{.model = 0, .strategy = Strategy::kEntropy, .temperature = 0.5f},
             {.model = 1},
             {.model = 1, .strategy = Strategy::kOrigin, .temperature = 1}},
            {.window = window, .ratios = {900, 800, 700, 600, 500, 400, 200}}};
  }
};

}  // namespace umf
