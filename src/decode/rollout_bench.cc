// Whole rollouts of LLaDA-8B's shape: exact ones, and those whose passes between two checkpoints
// compute few rows (docs/algorithm.md#anchored-passes). Random weights, a prompt of 256 tokens, the
// checkpoints of the paper.
//   rollout_bench [--backend NAME] [--window N] [--active F] [--rounds N] [--quick]
// Random weights are sure of nothing. So what a pass commits follows a fixed schedule: one cell, or
// two and three in turn.
#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <numeric>

#include "backend/backends.h"
#include "base/error.h"
#include "decode/walker.h"
#include "model/language_model.h"
#include "search/checkpoints.h"
#include "support/bench_main.h"
#include "support/bench_timing.h"
#include "support/random_checkpoint.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

constexpr int kPrompt = 256;

struct Options {
  std::string backend = "cuda";
  int window = 768, rounds = 3;
  float active = 2;
  bool quick = false;
};

// As another model, but sure of its best two and best three predictions in turn.
class ScheduledModel final : public Model {
 public:
  explicit ScheduledModel(Model& model) : model_(model) {}
  const ModelInfo& info() const override { return model_.info(); }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    auto answers = model_.predict(batch);
    for (std::vector<Prediction>& answer : answers) {
      const std::size_t sure = 2 + passes_++ % 2;
      std::vector<int> order(answer.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(
          order, [&](int a, int b) { return answer[a].confidence > answer[b].confidence; });
      for (std::size_t i = 0; i < order.size(); ++i)
        answer[order[i]].probability = i < sure ? 1.0f : 0.0f;
    }
    return answers;
  }
  std::unique_ptr<Anchor> make_anchor() override { return model_.make_anchor(); }
  double share_of_pass(const Query& query) const override { return model_.share_of_pass(query); }

 private:
  Model& model_;
  std::size_t passes_ = 0;
};

struct Rollout {
  const char* name;
  Model* model;
  Action action;
  std::vector<double> seconds = {};
  Walk walk = {};
};

void measure(Rollout& rollout, const Tokenizer& tokenizer, const Options& options) {
  const std::vector<Token> prompt(kPrompt, 40);
  const std::vector<int> ratios(std::begin(kPaperRatios), std::end(kPaperRatios));
  Walker walker({{{rollout.model, &tokenizer, prompt}},
                 {rollout.action},
                 {.window = options.window, .ratios = ratios}});
  const WindowState start{
      .cells = std::vector<Token>(options.window, rollout.model->info().tokens.mask)};
  rollout.seconds.push_back(seconds_of([&] {
    rollout.walk = walker.walk({0, 0}, start, INT_MAX);
  }));
}

void run(const Options& options) {
  const TemporaryDirectory root;
  const auto backend = make_backend(options.backend, {});
  RandomCheckpoint random(root.path(), "tiny-llada", shrunk(llada_8b(), options.quick));
  LanguageModel model("LLaDA-8B", std::move(random.checkpoint), *backend);
  ScheduledModel scheduled(model);
  const Action exact{};
  Action anchored = exact;
  anchored.anchor = AnchorRule::kCheckpoint;
  anchored.active = options.active;
  const auto several = [](Action action) {
    action.commit = {CommitRule::Kind::kTau, 0.5f};
    return action;
  };
  std::vector<Rollout> rollouts = {{"exact, 1 cell a pass", &model, exact},
                                   {"anchored, 1 cell a pass", &model, anchored},
                                   {"exact, 2.5 cells a pass", &scheduled, several(exact)},
                                   {"anchored, 2.5 cells a pass", &scheduled, several(anchored)}};
  for (Rollout& rollout : rollouts) {  // algorithms are chosen and passes recorded
    if (rollout.action.anchor != AnchorRule::kNone || options.quick)
      measure(rollout, model.tokenizer(), options);
    rollout.seconds.clear();
  }
  for (int round = 0; round < options.rounds; ++round)
    for (Rollout& rollout : rollouts) measure(rollout, model.tokenizer(), options);
  fmt::print(
      "{}; window {}, prompt {}, active={}; medians of {} interleaved rounds\n\n"
      "| rollout | passes | of few rows | by arithmetic | s | spread | times as fast |\n"
      "|---|---|---|---|---|---|---|\n",
      backend->description(), options.window, kPrompt, options.active, options.rounds);
  const double today = median(rollouts.front().seconds);
  for (const Rollout& rollout : rollouts) {
    const auto [least, most] = std::ranges::minmax(rollout.seconds);
    fmt::print("| {} | {} | {} | {:.1f} | {:.3f} | {:.3f} to {:.3f} | {:.2f} |\n", rollout.name,
               rollout.walk.passes, rollout.walk.partial, rollout.walk.equivalents,
               median(rollout.seconds), least, most, today / median(rollout.seconds));
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick")
      options.quick = true;
    else if (option == "--backend" && i + 1 < argc)
      options.backend = argv[++i];
    else if (option == "--window" && i + 1 < argc)
      options.window = std::max(8, std::atoi(argv[++i]));
    else if (option == "--rounds" && i + 1 < argc)
      options.rounds = std::max(1, std::atoi(argv[++i]));
    else if (option == "--active" && i + 1 < argc)
      options.active = static_cast<float>(std::atof(argv[++i]));
    else
      throw Error("rollout_bench takes --backend, --window, --active, --rounds and --quick, not " +
                  option);
  }
  return options;
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  return umf::bench_main([&] { umf::run(umf::parse(argc, argv)); });
}
