// The seam between decoding and models: what would stand at these positions?
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/tensor.h"
#include "base/token.h"
#include "model/advice.h"

namespace umf {

struct SpecialTokens {
  Token mask = 0, end_of_text = 0;
  std::optional<Token> end_of_turn, padding;
  std::vector<Token> ends;  // every token that ends an answer, the above included
};

struct ModelInfo {
  std::string name;    // what the user calls it
  std::string family;  // "llada", "dream", ...
  // Of all that predictions depend on beside the query: weights, architecture and backend. Models
  // with the same one predict the same.
  std::string fingerprint;
  SpecialTokens tokens;
  int vocabulary = 0, max_length = 0;
  int block = 0;  // of its attention, counted from position 0: blocks are written in order; 0: none
  // Blocks are counted from the end of the prompt instead, and what stands before the one under
  // work is seen causally (docs/models.md#causal-context).
  bool causal_context = false;
  bool shifted = false;  // row i - 1 predicts position i
  bool tempered_scores = false;
  // The family's recommended deterministic action, and what the checkpoint's makers say above that.
  std::string strategy, commit = "one", remask = "none";
  float temperature = 0, top_p = 1;
  float edit = 1;  // committed cells are rewritten by tokens that are surer than this; 1: never
  int block_length = 0;  // cells that it fills before the next ones; 0: as the attention has it
  bool grow = false;     // and without seeing those
  Advice advice = {};

  // How far into a block, or a number of them, the first cell behind a prompt stands.
  int blocks_begin(int prompt) const { return block > 0 && !causal_context ? prompt : 0; }
  // Whether the model predicts the cell behind a prompt from what stands before its block and
  // nothing else: it is written before the rest of its block (docs/models.md#shifted-blocks).
  bool leads_block(int prompt, int cell) const {
    return block > 0 && (shifted || causal_context) && prompt + cell > 0 &&
           (blocks_begin(prompt) + cell) % block == 0;
  }
};

// What a model remembers of a whole pass, for passes over few of its rows
// (docs/algorithm.md#anchored-passes). Belongs to one walk; must not outlive the model.
class Anchor {
 public:
  virtual ~Anchor() = default;
};

struct Query {  // what would stand at `positions` of `tokens`?
  std::span<const Token> tokens;
  std::span<const int> positions;  // only these pay for the last layer and the output head
  Sampling sampling;
  // Other ways to sample from the same pass: one prediction per position for each, after the first.
  std::span<const Sampling> more = {};
  // None: a whole pass, and nothing is remembered. Otherwise it is filled by a whole pass, or,
  // where there are active positions, used: only their rows are computed, and the others are seen
  // as the passes before left them. `positions` are among them.
  Anchor* anchor = nullptr;
  std::span<const int> active = {};
  // How many of the tokens are the prompt: where a model counts its blocks from. Such a model is
  // asked for no position of the prompt, and makes a pass for every block that is asked for.
  int prompt = 0;
};

class Model {  // a masked diffusion language model, ready to run
 public:
  virtual ~Model() = default;
  virtual const ModelInfo& info() const = 0;
  // One prediction per position, in order, for each way to sample. Costs one forward pass (NFE) per
  // query. Depends on weights and query alone, not on what else is in the batch or was asked
  // before. One thread at a time.
  virtual std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) = 0;
  // nullptr where the model computes whole passes alone.
  virtual std::unique_ptr<Anchor> make_anchor() { return nullptr; }
  // What a query costs, as a share of the arithmetic of a whole pass over the same tokens.
  virtual double share_of_pass(const Query&) const { return 1; }
};

}  // namespace umf
