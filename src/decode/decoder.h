// One plain decoding from all masks to text, without search.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/action.h"
#include "decode/denoise.h"
#include "decode/schedule.h"
#include "decode/walk_setup.h"
#include "tokenizer/tokenizer.h"

namespace umf {

struct DecodeOptions {
  int length = 256;  // cells of the window
  Schedule schedule = Schedule::kSteady;
  int steps = 0;         // of the reference schedules; 0: one per cell
  int per_step = 1;      // of the steady schedule
  int block_length = 0;  // cells decoded before the next ones begin; 0: as the action has it
  float threshold = 0;   // above 0: every cell at least this confident is committed at once
  // Stop after a block in which the text ended. Absent: only for models that decode in blocks
  // alone, and where the window grows.
  std::optional<bool> stop_at_end;
};

struct Decoding {
  std::vector<Token> window;
  int lexicon = 0;  // of several models: which of the setup's lexicons the window is in
  std::vector<int> writers = {};  // of several models: by cell, who wrote it
  int passes = 0;   // forward passes (NFE); one that commits nothing counts, as in the references
  int partial = 0;  // of these, over few rows
  double equivalents = 0;    // all by their arithmetic, in passes over all rows
  bool interrupted = false;  // the observer asked to stop
};

// After every pass: what it committed. Returning false stops the decoding.
using PassObserver = std::function<bool(const Decoding& so_far, std::span<const Commit> commits)>;

// The recommended action of the models, but for what the options decide instead.
Action recommended_action(std::span<const ModelInfo* const> models, const DecodeOptions& options);

// Throws Error when the options contradict each other, the action or the model.
Decoding decode(Model& model, std::span<const Token> prompt, const Action& action,
                const DecodeOptions& options, const PassObserver& observer);

// The same by several models that write together: the one action of the setup, all the way.
Decoding decode_together(const WalkSetup& setup, const PassObserver& observer);

// The answer: everything before the first token that ends it, without special tokens.
std::string answer_text(const Tokenizer& tokenizer, const SpecialTokens& tokens,
                        std::span<const Token> window);

}  // namespace umf
