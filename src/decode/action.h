// One way to unmask the next cells: a plain value, part of every cache key.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/commit_rule.h"
#include "model/model.h"

namespace umf {

// Which masks are committed first.
enum class Strategy : std::uint8_t {
  kEntropy,        // the least entropy of the prediction
  kLowConfidence,  // the most probable candidate (low confidence stays masked)
  kMargin,         // the largest distance between the two most probable tokens
  kOrigin,         // each mask by the toss of a coin
  kRandom,         // uniformly random scores
};

std::string_view name_of(Strategy strategy);
Strategy parse_strategy(const std::string& name);  // throws Error with the known names

// Whether committed cells may be masked again, and by which rule (docs/algorithm.md#remdm and #p2).
enum class Remask : std::uint8_t {
  kNone,            // what is committed stays
  kCap,             // each with a capped probability
  kRescale,         // each with a share of the largest possible probability
  kConf,            // those that were committed with little confidence rather than others
  kLoop,            // in the middle of the trajectory only
  kConfidenceLoop,  // as loop, but the least confident one at each pass
  kP2,              // those that the strategy ranks lowest, at each pass, so that masks fall by one
};

std::string_view name_of(Remask remask);
Remask parse_remask(const std::string& name);  // throws Error with the known names

// How several models write one text (docs/algorithm.md#several-models).
enum class Ensemble : std::uint8_t {
  kNone,   // there is one model
  kRelay,  // whoever is sure writes and goes on; otherwise the next one looks
  kPoll,   // all look at the same window, and the surest writes each cell
};

// When a pass computes all rows, where others compute few (docs/algorithm.md#anchored-passes): an
// approximation of the action without it.
enum class AnchorRule : std::uint8_t {
  kNone,        // always
  kCheckpoint,  // at the start of a walk and at its checkpoints
  kBlock,       // there, and at the start of every block
};

std::string_view name_of(AnchorRule rule);
AnchorRule parse_anchor_rule(const std::string& name);  // throws Error with the known names

std::string_view name_of(Ensemble ensemble);
Ensemble parse_ensemble(const std::string& name);  // throws Error with the known names

struct Action {
  int model = 0;  // which of the loaded models
  Strategy strategy = Strategy::kLowConfidence;
  float temperature = 0;  // 0 is greedy
  float top_p = 1;
  int top_k = 0;
  float order_temperature =
      0;                    // 0 takes the best cells; otherwise cells are drawn (Dream's alg_temp)
  float eos_penalty = 0;    // Dream-Coder's padding penalty w: l[pad] += w ln(1 - t + eps)
  float pad_factor = 1;     // multiplies the probability of padding before the temperature
  bool forbid_eos = false;  // LLaDA's logits_eos_inf: end of text is never chosen
  bool eos_last = false;    // LLaDA's confidence_eos_eot_inf: end of text and turn come last
  bool allow_mask = false;  // as the references: the mask token itself may win, and stays masked
  CommitRule commit = {};   // how many cells a pass commits
  float edit = 1;     // committed cells of the active block take a token that is surer than this
  int block = 0;      // cells that are filled before the next ones; 0: none but the model's blocks
  bool grow = false;  // the model sees no masks behind those it is asked for and what is written
  AnchorRule anchor = AnchorRule::kNone;
  float active =
      2;  // of an anchor: rows of so many times the masks that are committed before the next
  Remask remask = Remask::kNone;
  float remask_eta = -1;   // how much is masked again; below 0: what its authors recommend
  int passes = 0;          // of a trajectory that remasks, at most; 0: twice its masks
  std::uint64_t seed = 0;  // part of the value: the same state and action give the same state
  Ensemble ensemble = Ensemble::kNone;
  std::vector<Action> others = {};  // of an ensemble, how the models after the first one write
  bool operator==(const Action&) const = default;

  // Every field a user can set, once: for parsing, --help and reports.
  template <class Visitor>
  void visit(Visitor&& field) {
    field(strategy, "strategy",
          "which cells first: entropy, low-confidence, margin, origin or random");
    field(temperature, "temperature", "0 takes the most probable token, larger draws more freely");
    field(top_p, "top-p", "draw only from the most probable tokens of this total mass");
    field(top_k, "top-k", "draw only from this many most probable tokens; 0 for all");
    field(order_temperature, "order-temperature",
          "0 takes the best cells, larger draws among them");
    field(eos_penalty, "eos-penalty", "holds padding back while much is masked (Dream-Coder)");
    field(pad_factor, "pad-factor", "multiplies the probability of padding");
    field(forbid_eos, "forbid-eos", "the end of text is never written (LLaDA's logits_eos_inf)");
    field(eos_last, "eos-last",
          "cells that end the text come last (LLaDA's confidence_eos_eot_inf)");
    field(allow_mask, "allow-mask", "the mask token may be predicted, as in the reference loops");
    field(commit, "commit",
          "cells per pass: one, tau:X (all with a probability of at least X) or frechet:D");
    field(edit, "edit",
          "rewrite committed cells of the block under work where another token has a probability "
          "above this; 1 never (LLaDA2.1)");
    field(block, "block",
          "fill so many cells before the next ones: parts of the model's own blocks, or of the "
          "window; 0 for no parts");
    field(grow, "grow",
          "the window grows block by block: the model sees no masks behind those it is asked for "
          "(iLLaDA's var_generate)");
    field(anchor, "anchor",
          "compute all rows at checkpoints or at blocks alone, few in between: none, checkpoint, "
          "block (approximate)");
    field(active, "active",
          "rows between anchors: this many times the masks that are filled until the next");
    field(remask, "remask",
          "mask committed cells again: none, p2 (Open-dCoder), or cap, rescale, conf, loop or "
          "confidence-loop (ReMDM)");
    field(remask_eta, "remask-eta",
          "how much cap, rescale and loop mask again, 0 to 1; -1 for the recommended");
    field(passes, "passes", "forward passes of a remasking trajectory; 0 for twice its masks");
    field(seed, "seed", "chooses the noise of temperatures above 0, origin and random");
    field(ensemble, "rule", "of several models: relay (the one that is sure goes on) or poll");
  }
};

// The model's recommended deterministic action: the family's, changed by what the checkpoint's own
// file says. Throws Error naming that file for a field it cannot have.
Action recommended_action(const ModelInfo& model);

// The same for several models, which `model` counts in this order: a relay, unless there is one.
Action recommended_action(std::span<const ModelInfo* const> models);

inline constexpr int kDefaultWindow = 256;
// Tokens of an answer where nobody says otherwise.
int recommended_window(const ModelInfo& model);

// The models of an action, in order, each as an action of its own.
std::vector<Action> members_of(const Action& action);

// Throws Error when a field is out of its range.
void check(const Action& action);
inline constexpr const char* kGrowNeedsBlocks =
    "grow needs blocks: block=NUMBER, a block length, or a model that has them";
// Throws Error when the action does not go with the model, or remask=p2 with its other fields.
void check_for(const Action& action, const ModelInfo& model);

// Whether it remasks in one trajectory over all masks, whose number rises and falls on the way.
inline bool is_trajectory(const Action& action) {
  return action.remask != Remask::kNone && action.remask != Remask::kP2;
}

// Whether committed cells may be rewritten.
inline bool edits(const Action& action) { return action.edit < 1; }
// Whether text that stands before everything masked may change.
inline bool revises(const Action& action) { return edits(action) || action.remask == Remask::kP2; }

// Whether every pass commits one cell, whatever the models say.
inline bool commits_one(const Action& action) {
  return action.commit.kind == CommitRule::Kind::kOne && action.others.empty() && !edits(action);
}

// Whether it gives what the models say, and not something near it.
inline bool is_exact(const Action& action) {
  return action.anchor == AnchorRule::kNone &&
         std::ranges::all_of(action.others, [](const Action& other) { return is_exact(other); });
}

inline bool is_exact(std::span<const Action> actions) {
  return std::ranges::all_of(actions, [](const Action& action) { return is_exact(action); });
}

// Whether chance has a part in it. Otherwise its seed changes nothing.
bool is_random(const Action& action);

// Sets the field that visit() calls `key`, of an ensemble for all its models. Throws Error for an
// unknown key or a value it cannot take.
void set_field(Action& action, const std::string& key, const std::string& value);
// Sets the fields named in "key=value,key=value".
void set_fields(Action& action, std::string_view assignments);
// The same for the user's fields of a recommended action: a recommended remask=p2 gives way to what
// it does not go with.
void choose_fields(Action& action, std::string_view assignments);
// Every field, and the model's number, as "model=0,key=value,...".
std::string text_of(Action action);

}  // namespace umf
