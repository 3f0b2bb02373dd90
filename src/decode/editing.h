// Rewriting committed cells of the block under work (LLaDA2.1, docs/models.md#editing).
#pragma once

#include <span>
#include <vector>

#include "decode/denoise.h"

namespace umf {

// Passes over a block without masks, at most: the published loop's.
inline constexpr int kMostEditingPasses = 16;

// The first cell of the window that belongs to the block of `cell`: what stands before it is final,
// or the prompt. For models whose attention has blocks.
int block_begin(const ModelInfo& model, int prompt, int cell);

// The cells that a step may rewrite.
std::vector<int> written_cells(std::span<const Token> window, Token mask, const StepRule& rule);

// What a step rewrites, of the predictions for written cells: other tokens of which the model is
// surer than the action's bound.
std::vector<Commit> rewritten(std::span<const Token> window, std::span<const Answer> answers,
                              const Action& action, Token mask);

// Throws Error where the action edits and the model has no blocks to edit in.
void check_editing(const Action& action, const ModelInfo& model);

}  // namespace umf
