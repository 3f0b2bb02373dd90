// Two small but real tokenizers, the windows they can make, and models that write with them: for
// tests.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "decode/lexicon.h"
#include "decode/states.h"
#include "decode/walker.h"
#include "search/checkpoints.h"
#include "support/scripted_model.h"
#include "support/temporary_directory.h"
#include "tiny/hashed_numbers.h"
#include "tiny/tiny_tokenizers.h"

namespace umf {

inline SpecialTokens tiny_special_tokens(TinyFamily family) {
  const TinyTokens ids = tiny_tokens(family);
  SpecialTokens tokens{.mask = ids.mask, .end_of_text = ids.eos, .padding = ids.pad};
  if (ids.end_of_turn != ids.eos) tokens.end_of_turn = ids.end_of_turn;
  tokens.ends = {ids.eos, ids.pad, ids.end_of_turn};
  return tokens;
}

// A tiny family's lexicon; the tokenizer lives as long as the program.
inline const Lexicon& tiny_lexicon(TinyFamily family) {
  static const TemporaryDirectory root;
  static const auto load = [](TinyFamily of, const std::string& name) {
    std::filesystem::create_directories(root / name);
    write_tiny_tokenizer(of, root / name);
    return Tokenizer::load(root / name);
  };
  static const Tokenizer llada = load(TinyFamily::kLlada, "llada");
  static const Tokenizer dream = load(TinyFamily::kDream, "dream");
  static const Tokenizer sdc = load(TinyFamily::kStableDiffCoder, "sdc");
  static const Lexicon lexicons[] = {{&llada, tiny_special_tokens(TinyFamily::kLlada)},
                                     {&dream, tiny_special_tokens(TinyFamily::kDream)},
                                     {&sdc, tiny_special_tokens(TinyFamily::kStableDiffCoder)}};
  if (family == TinyFamily::kLlada) return lexicons[0];
  return family == TinyFamily::kDream ? lexicons[1] : lexicons[2];
}

inline const Lexicon& llada_lexicon() { return tiny_lexicon(TinyFamily::kLlada); }
inline const Lexicon& dream_lexicon() { return tiny_lexicon(TinyFamily::kDream); }
inline const Lexicon& sdc_lexicon() { return tiny_lexicon(TinyFamily::kStableDiffCoder); }

// Any cells at all: special ones, masks, and tokens that split characters or are no UTF-8.
inline std::vector<Token> random_window(const Lexicon& lexicon, int length, std::mt19937& rng) {
  const SpecialTokens& tokens = lexicon.tokens;
  const std::vector<Token> special = {
      tokens.mask,        tokens.mask,       tokens.mask,
      tokens.end_of_text, lexicon.padding(), tokens.end_of_turn.value_or(tokens.end_of_text)};
  std::vector<Token> cells;
  while (std::cmp_less(cells.size(), length)) {
    if (rng() % 3 == 0) {
      cells.push_back(special[rng() % special.size()]);
    } else if (rng() % 4 == 0) {
      for (const Token id :
           lexicon.tokenizer->encode_bytes("\u00e9\u4e2d\U0001f600 the user\r\n")) {
        if (rng() % 8 != 0) cells.push_back(id);
      }
    } else {
      const auto id = static_cast<Token>(rng() % lexicon.tokenizer->size());
      if (!lexicon.tokenizer->is_special(id)) cells.push_back(id);
    }
  }
  return cells;
}

// A model over a lexicon whose wishes depend on every cell in a way of its own (`salt`). Special
// tokens without a role, which conversion cannot keep, are written only when asked for.
inline ScriptedModel hashing_model(const Lexicon& lexicon, std::uint64_t salt, int block = 0,
                                   int max_length = 4096, bool any_special = false) {
  const int vocabulary = lexicon.tokenizer->size();
  ModelInfo info{.name = "hashing",
                 .family = "test",
                 .fingerprint = fmt::format("hashing {} {}", salt, any_special),
                 .tokens = lexicon.tokens,
                 .vocabulary = vocabulary,
                 .max_length = max_length,
                 .block = block};
  std::vector<Token> never;
  for (Token id = 0; id < vocabulary && !any_special; ++id) {
    if (role_of(lexicon, id) == CellRole::kOtherSpecial) never.push_back(id);
  }
  return {info, [=](std::span<const Token> tokens, int position) {
            std::vector<float> logits(vocabulary);
            hashed_numbers(noise_key(salt, 0, tokens), position, logits);
            for (const Token id : never) logits[id] = -50.0f;
            return logits;
          }};
}

// A model that wants one token in each cell, more or less surely: its probability lies between 0.2
// and 0.999, and which token it is depends on every cell in a way of its own (`salt`).
inline ScriptedModel wishing_model(const Lexicon& lexicon, std::uint64_t salt, int block = 0) {
  const int vocabulary = lexicon.tokenizer->size();
  ModelInfo info{.name = "wishing",
                 .family = "test",
                 .fingerprint = fmt::format("wishing {}", salt),
                 .tokens = lexicon.tokens,
                 .vocabulary = vocabulary,
                 .max_length = 4096,
                 .block = block};
  return {info, [=, &lexicon](std::span<const Token> tokens, int position) {
            const NoiseKey key = noise_key(salt, 0, tokens);
            auto wish = static_cast<Token>(noise_word(key, position, 0) %
                                           static_cast<unsigned>(vocabulary));
            if (role_of(lexicon, wish) != CellRole::kText) wish = lexicon.tokens.end_of_text;
            std::vector<float> logits(vocabulary, 0.0f);
            logits[wish] = std::log(static_cast<float>(vocabulary)) - 1.4f +
                           8.4f * open_unit(noise_word(key, position, 1));
            return logits;
          }};
}

// With and without blocks and closed text, under both policies, by the paper's checkpoints.
inline std::vector<WalkOptions> every_way_to_walk(int window) {
  const std::vector<int> ratios(std::begin(kPaperRatios), std::end(kPaperRatios));
  std::vector<WalkOptions> all;
  for (const int block : {0, 8}) {
    for (const WindowPolicy policy : {WindowPolicy::kPreserveMasks, WindowPolicy::kFixedWindow}) {
      for (const bool closed : {false, true}) {
        all.push_back({.window = window,
                       .ratios = ratios,
                       .block_length = block,
                       .policy = policy,
                       .closed_text = closed});
      }
    }
  }
  return all;
}

// A walker, and the states that it reaches by number.
struct NumberedWalks {
  NumberedWalks(std::vector<Participant> participants, std::vector<Action> actions,
                WalkOptions options, WalkMemo* memo = nullptr)
      : states({std::move(participants), std::move(actions), std::move(options)}),
        walker(states.setup(), memo) {}
  Outcome walk(const Trial& trial, int limit, const WalkObserver& observer = {}) {
    return states.number(walker.walk(trial, states.at(trial.from), limit, observer));
  }
  int actions() const { return static_cast<int>(states.setup().actions().size()); }
  std::string text(StateId id) const { return states.text(id); }
  bool closed(StateId id) const { return states.setup().closed(states.at(id)); }

  States states;
  Walker walker;
};

}  // namespace umf
