#include "decode/decoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>

#include "base/error.h"
#include "decode/editing.h"
#include "decode/replan.h"
#include "decode/walker.h"
#include "search/checkpoints.h"

namespace umf {
namespace {

struct Block {
  int begin, end;
};

// Decodes block by block; each method is one level of the loop.
class Run {
 public:
  Run(Model& model, std::span<const Token> prompt, const Action& action,
      const DecodeOptions& options, const PassObserver& observer)
      : model_(model), prompt_(prompt), action_(action), options_(options), observer_(observer) {
    const SpecialTokens& tokens = model.info().tokens;
    check_options();
    if (std::find(prompt.begin(), prompt.end(), tokens.mask) != prompt.end()) {
      throw Error(
          "the prompt contains the model's mask token; it would be taken for a cell to fill");
    }
    result_.window.assign(options_.length, tokens.mask);
    targets_ = checkpoint_targets(options_.length, kPaperRatios, options_.block_length);
  }

  Decoding decode() {
    for (const Block& block : blocks()) {
      if (!(options_.schedule == Schedule::kDream ? dream_steps() : block_steps(block))) {
        result_.interrupted = true;
        break;
      }
      if (*options_.stop_at_end && ended_in(block)) break;
    }
    return std::move(result_);
  }

 private:
  void check_options() {
    const ModelInfo& info = model_.info();
    DecodeOptions& o = options_;
    const auto require = [](bool holds, const std::string& message) {
      if (!holds) throw Error(message);
    };
    require(o.length >= 1, fmt::format("the answer's length must be at least 1, not {}", o.length));
    require(static_cast<long>(prompt_.size()) + o.length <= info.max_length,
            fmt::format("{} prompt tokens and {} answer tokens do not fit the context of {}; "
                        "shorten one of them",
                        prompt_.size(), o.length, info.max_length));
    require(!is_trajectory(action_),
            "remasking is for umf solve: plain decoding knows no rule but remask=p2");
    check_editing(action_, info);
    require(action_.commit.kind == CommitRule::Kind::kOne ||
                (o.schedule == Schedule::kSteady && o.per_step == 1 && o.threshold == 0),
            fmt::format("commit={} says how many cells a pass commits; leave out the schedule, the "
                        "tokens per step and the threshold",
                        name_of(action_.commit)));
    require(is_exact(action_) || (o.schedule == Schedule::kSteady && o.per_step == 1),
            fmt::format("anchor={} goes with the steady schedule and one token per step",
                        name_of(action_.anchor)));
    require(o.per_step >= 1, fmt::format("tokens per step must be at least 1, not {}", o.per_step));
    require(o.steps >= 0, fmt::format("steps must be at least 1, not {}", o.steps));
    require(o.block_length >= 0,
            fmt::format("the block length must be at least 1, not {}", o.block_length));
    require(o.threshold >= 0 && o.threshold <= 1,
            fmt::format("the threshold must be from 0 to 1, not {}", o.threshold));
    if (o.steps == 0) o.steps = o.length;
    // A length that the model's own blocks do not divide ends inside of one.
    const bool chosen = o.block_length > 0 || o.schedule == Schedule::kLlada;
    check_for(action_, info);
    if (o.block_length == 0) o.block_length = own_block_length();
    require(info.block == 0 || o.block_length % info.block == 0 || info.block % o.block_length == 0,
            fmt::format("{} decodes in blocks of {}; a block length of {} is neither a multiple "
                        "nor a part of that",
                        info.name, info.block, o.block_length));
    require(!info.causal_context || info.block % o.block_length == 0,
            fmt::format("{} works on one block of {} at a time; a block length of {} is no part of "
                        "that",
                        info.name, info.block, o.block_length));
    require(!info.causal_context || !action_.allow_mask,
            fmt::format("{} goes on when a block is full; with allow-mask it might never be",
                        info.name));
    require(!chosen || o.length % o.block_length == 0,
            fmt::format("the length {} is not a multiple of the block length {}", o.length,
                        o.block_length));
    require(action_.anchor != AnchorRule::kBlock || o.block_length < o.length,
            "anchor=block needs blocks: a block length, or a model that has them");
    require(!replans() ||
                (o.schedule != Schedule::kLlada && o.threshold == 0 && o.block_length == o.length),
            "remask=p2 ranks all cells and says how many masks are left; it goes with the steady "
            "and the dream schedule, without blocks and a threshold");
    require(!action_.grow || chosen || action_.block > 0 || info.block > 0, kGrowNeedsBlocks);
    if (!o.stop_at_end) o.stop_at_end = info.block > 0 || action_.grow;
    if (o.schedule == Schedule::kDream) {
      require(o.block_length == o.length,
              "the dream schedule has no blocks; choose steady or llada");
    }
    if (o.schedule == Schedule::kLlada) {
      require(o.steps % (o.length / o.block_length) == 0,
              fmt::format("{} steps cannot be shared equally by {} blocks", o.steps,
                          o.length / o.block_length));
      require(action_.strategy != Strategy::kOrigin,
              "origin tosses a coin for each cell and has no quota; "
              "use it with the steady or dream schedule");
    }
  }

  bool replans() const { return action_.remask == Remask::kP2; }

  // Where no option says otherwise: the parts that the action fills the model's blocks in, or the
  // window where it has none.
  int own_block_length() const {
    const int block = model_.info().block, length = options_.length;
    if (action_.block == 0) return block > 0 ? block : length;
    return block > 0 ? action_.block : std::min(action_.block, length);
  }

  // Blocks count from the start of the window; where the model's attention has blocks, from where
  // these do, so that the first and the last may be shorter. A cell that is written before the
  // others of its block is a block.
  std::vector<Block> blocks() const {
    const ModelInfo& info = model_.info();
    const auto before = static_cast<int>(prompt_.size());
    const int offset = info.blocks_begin(before) % options_.block_length;
    std::vector<Block> blocks;
    for (int begin = 0; begin < options_.length;) {
      int end = std::min((begin + offset) / options_.block_length * options_.block_length +
                             options_.block_length - offset,
                         options_.length);
      if (info.leads_block(before, begin)) end = begin + 1;
      blocks.push_back({begin, end});
      begin = end;
    }
    return blocks;
  }

  int masks_before(int end) const {
    return static_cast<int>(std::count(result_.window.begin(), result_.window.begin() + end,
                                       model_.info().tokens.mask));
  }

  // The cells committed per pass of the block; masks left behind in earlier blocks stay eligible.
  std::vector<int> quota(int masks) const {
    if (options_.schedule == Schedule::kLlada) {
      return llada_quota(masks, options_.steps / (options_.length / options_.block_length));
    }
    return std::vector<int>((masks + options_.per_step - 1) / options_.per_step, options_.per_step);
  }

  bool block_steps(const Block& block) {
    const std::vector<int> counts = quota(masks_before(block.end));
    // LLaDA's loop spends every step, also one without a quota; the other loops stop when all is
    // filled.
    const bool every_step = options_.schedule == Schedule::kLlada && model_.info().block == 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!every_step && (counts[i] == 0 || masks_before(block.end) == 0)) continue;
      const StepRule rule{.begin = 0,
                          .end = block.end,
                          .count = counts[i],
                          .share = 1.0f / static_cast<float>(counts.size() - i),
                          .steps_left = static_cast<int>(counts.size() - i),
                          .threshold = options_.threshold,
                          .time = state_time(masks_before(options_.length), options_.length),
                          .edit_from = edit_from(block)};
      if (!pass(rule)) return false;
    }
    return !edits(action_) || edit_block(block);
  }

  int edit_from(const Block& block) const {
    const ModelInfo& info = model_.info();
    return info.block > 0 ? block_begin(info, static_cast<int>(prompt_.size()), block.end - 1) : 0;
  }

  // Passes over the full block until one changes nothing. Parts of a block are edited with the last
  // of them.
  bool edit_block(const Block& block) {
    const ModelInfo& info = model_.info();
    const int end = info.blocks_begin(static_cast<int>(prompt_.size())) + block.end;
    if (end % info.block != 0 && block.end < options_.length) return true;
    const StepRule rule{.end = block.end,
                        .time = state_time(masks_before(options_.length), options_.length),
                        .edit_from = edit_from(block)};
    for (int i = 0; i < kMostEditingPasses; ++i) {
      const std::vector<Token> before = result_.window;
      if (!pass(rule)) return false;
      if (result_.window == before) break;
    }
    return true;
  }

  bool dream_steps() {
    const DreamTimes times(options_.steps);
    for (int i = 0; i < options_.steps; ++i) {
      const int masks = masks_before(options_.length);
      if (replans() && masks == 0) break;
      const StepRule rule{.begin = 0,
                          .end = options_.length,
                          .count = replans() ? masks - p2_masks(options_.length, options_.steps, i)
                                             : times.count(i, masks),
                          .share = times.share(i),
                          .steps_left = options_.steps - i,
                          .threshold = options_.threshold,
                          .time = times.time(i)};
      if (!pass(rule)) return false;
    }
    return true;
  }

  bool pass(const StepRule& rule) {
    const int masks = masks_before(options_.length), target = next_target(targets_, masks);
    StepRule own = rule;
    own.to_checkpoint = masks - target;
    AnchoredModel* const anchored = passes_.anchored(0, model_, action_);
    const std::vector<Commit> commits =
        replans()
            ? replan(model_, prompt_, result_.window, action_, 0, masks - rule.count, rule.time)
            : denoise(model_, prompt_, result_.window, action_, 0, own, anchored);
    for (const Commit& commit : commits) result_.window[commit.cell] = commit.token;
    if (masks_before(options_.length) <= target) passes_.forget();
    ++result_.passes;
    passes_.count(anchored);
    result_.partial = passes_.partial();
    result_.equivalents = passes_.equivalents();
    return observer_(result_, commits);
  }

  // Whether the text ended among the block's cells; if so, the rest of the block and the window
  // goes.
  bool ended_in(const Block& block) {
    const SpecialTokens& tokens = model_.info().tokens;
    const auto begin = result_.window.begin() + block.begin,
               end = result_.window.begin() + block.end;
    const auto last = std::find_first_of(begin, end, tokens.ends.begin(), tokens.ends.end());
    if (last == end) return false;
    std::fill(last, end, *last);
    result_.window.resize(block.end);
    return true;
  }

  Model& model_;
  std::span<const Token> prompt_;
  Action action_;
  DecodeOptions options_;
  const PassObserver& observer_;
  std::vector<int>
      targets_;  // masks left at checkpoints, where anchors are taken: those of a search
  WalkPasses passes_{BudgetUnit::kPasses};
  Decoding result_;
};

}  // namespace

Action recommended_action(std::span<const ModelInfo* const> models, const DecodeOptions& options) {
  Action action = recommended_action(models);
  // Whoever says how many tokens a pass takes does not want the recommended rule beside it.
  if (options.schedule != Schedule::kSteady || options.per_step != 1 || options.threshold > 0)
    set_field(action, "commit", "one");
  if (options.schedule == Schedule::kDream) set_fields(action, "block=0,grow=false");
  if (options.schedule == Schedule::kLlada || options.threshold > 0 || options.block_length > 0)
    set_field(action, "remask", "none");
  return action;
}

Decoding decode(Model& model, std::span<const Token> prompt, const Action& action,
                const DecodeOptions& options, const PassObserver& observer) {
  check(action);
  return Run(model, prompt, action, options, observer).decode();
}

Decoding decode_together(const WalkSetup& setup, const PassObserver& observer) {
  const WindowState root{
      0, std::vector<Token>(setup.options().window, setup.lexicons().front().tokens.mask)};
  Walker walker(setup);
  Decoding decoding;
  const auto follow = [&](const Pass& pass) {
    ++decoding.passes;
    decoding.window.assign(pass.window.begin(), pass.window.end());
    decoding.lexicon = static_cast<int>(&pass.lexicon - walker.setup().lexicons().data());
    decoding.writers.assign(pass.writers.begin(), pass.writers.end());
    decoding.interrupted = !observer(decoding, pass.commits);
    return !decoding.interrupted;
  };
  const Walk walk = walker.walk({.from = 0, .action = 0}, root, INT_MAX, follow);
  if (!walk.feasible) throw Error("the window does not fit any of the models");
  // What was filled up behind the end is nobody's.
  if (walk.complete) decoding.window = walk.path.back().cells;
  decoding.partial = walk.partial;
  decoding.equivalents = walk.equivalents;
  return decoding;
}

std::string answer_text(const Tokenizer& tokenizer, const SpecialTokens& tokens,
                        std::span<const Token> window) {
  const auto end =
      std::find_first_of(window.begin(), window.end(), tokens.ends.begin(), tokens.ends.end());
  return tokenizer.decode(window.first(end - window.begin()), /*skip_special=*/true);
}

}  // namespace umf
