// A whole UMF search over two models of the published shapes with a toy reward, and what it spends
// its time on: passes, search, reward, moving weights. Random weights, prompts of a few tokens.
//   whole_search_bench [--backend NAME] [--budget N] [--window N] [--memory-limit GB] [--prm]
//   [--quick]
// With --memory-limit the models take turns on the device. --prm judges with a reward model of
// Qwen2.5-Math-PRM-7B's shape on the same device. --quick: few layers, for machines without a GPU.
#include <fmt/core.h>

#include <cstdlib>
#include <optional>

#include "backend/backends.h"
#include "backend/cuda/cuda_backend.h"
#include "base/error.h"
#include "model/process_reward_model.h"
#include "search/checkpoints.h"
#include "session/problem_search.h"
#include "support/bench_main.h"
#include "support/bench_timing.h"
#include "support/random_checkpoint.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

struct Options {
  std::string backend = "cuda";
  long budget = 3072;
  int window = 768;
  double memory_limit_gb = 0;
  bool prm = false, quick = false;
};

double gib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// Eighths that depend on every byte; with a reward model, also on what it says.
class ToyReward final : public Reward {
 public:
  explicit ToyReward(ProcessRewardModel* model) : model_(model) {}
  Verdict judge(std::string_view answer) override {
    std::uint32_t hash = 2166136261;
    for (const unsigned char c : answer) hash = (hash ^ c) * 16777619;
    double reward = (hash >> 8) % 8 / 8.0;
    if (model_ != nullptr) reward += model_->scores("Go.", std::string(answer)).back() / 64;
    return {reward, ""};
  }

 private:
  ProcessRewardModel* model_;
};

Configuration configuration_for(const Options& options) {
  Configuration made{.search_name = "unmaskfork"};
  made.models = {0, 1};
  made.model_names = {"LLaDA-8B", "Dream-7B"};
  made.walk.window = options.window;
  made.walk.ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)};
  made.solve.budget = options.budget;
  for (int model = 0; model < 2; ++model) add_action(made, {.model = model});
  return made;
}

// What one model takes beside its weights for the longest window we promise.
void measure_memory(ModelCache& model_cache, int number, const std::string& name) {
  const int length = 2048, wanted = 1792;
  std::vector<Token> tokens(length, 40);
  std::vector<int> positions;
  for (int i = length - wanted; i < length; ++i) positions.push_back(i);
  const Query query{tokens, positions, {}};
  const std::uint64_t before = cuda_memory_in_use(0);
  const auto start = BenchClock::now();
  const int short_position[] = {3};
  const Query first{std::span(tokens).first(8), short_position, {}};
  model_cache.model(number).predict({&first, 1});
  const double loading = seconds_since(start);
  model_cache.model(number).predict({&query, 1});
  const double bytes = static_cast<double>(model_cache.checkpoint(number).weights.bytes());
  fmt::print(
      "{}: {:.1f} GB loaded and first used in {:.1f} s ({:.1f} GB/s); with 2048 positions it takes "
      "{:.2f} GiB, weights alone {:.2f} GiB\n",
      name, bytes / 1e9, loading, bytes / 1e9 / loading, gib(cuda_memory_in_use(0) - before),
      gib(static_cast<std::uint64_t>(bytes)));
  std::fflush(stdout);
}

void search(const Options& options, ModelCache& model_cache, Reward& reward) {
  const Configuration configuration = configuration_for(options);
  const Problem problem{.id = "bench", .prompt = "Go."};
  ProblemSearch search(configuration, model_cache, problem, reward);
  const double passes_before = model_cache.pass_seconds(),
               loads_before = model_cache.load_seconds(),
               returning_before = model_cache.seconds_returning();
  const int returns_before = model_cache.returns();
  const auto start = BenchClock::now();
  SearchObserver nobody;
  const Solution solution = search.run(nobody);
  const double total = seconds_since(start), passes = model_cache.pass_seconds() - passes_before,
               moving = model_cache.load_seconds() - loads_before;
  const Ledger& ledger = solution.ledger;
  fmt::print(
      "\n{} NFE, {} rollouts, {} switches; {:.2f} s in all\n\n| part | s | share "
      "|\n|---|---|---|\n",
      ledger.nfe, ledger.rollouts(), ledger.switches, total);
  const auto row = [&](const char* part, double seconds) {
    fmt::print("| {} | {:.3f} | {:.2f} % |\n", part, seconds, 100 * seconds / total);
  };
  row("forward passes and sampling", passes);
  row("reward", solution.judge_seconds);
  row("waiting for models to come and go", moving);
  row("search and the rest", total - passes - solution.judge_seconds - moving);
  fmt::print("\n{:.2f} ms per pass; {} returns to the device, {:.3f} s each under way\n",
             1000 * passes / static_cast<double>(ledger.nfe),
             model_cache.returns() - returns_before,
             (model_cache.seconds_returning() - returning_before) /
                 std::max(1, model_cache.returns() - returns_before));
}

void run(const Options& options) {
  const TemporaryDirectory root;
  const auto backend = make_backend(options.backend, {});
  fmt::print("{}, window {}\n", backend->description(), options.window);
  RandomCheckpoint llada(root.path(), "tiny-llada", shrunk(llada_8b(), options.quick));
  RandomCheckpoint dream(root.path(), "tiny-dream", shrunk(dream_7b(), options.quick));
  ModelCache model_cache(*backend, static_cast<std::uint64_t>(options.memory_limit_gb * 1e9));
  model_cache.add("LLaDA-8B", std::move(llada.checkpoint));
  model_cache.add("Dream-7B", std::move(dream.checkpoint));
  if (options.memory_limit_gb == 0) {
    measure_memory(model_cache, 0, "LLaDA-8B");
    measure_memory(model_cache, 1, "Dream-7B");
  }
  std::optional<RandomCheckpoint> judge;
  std::optional<ProcessRewardModel> prm;
  const auto prm_backend = make_backend(options.backend, {});
  if (options.prm) {
    Architecture a = shrunk(dream_7b(), options.quick);  // Qwen2.5-7B's shape, as Dream's
    a.attention.kind = AttentionKind::kCausal;
    const int h = a.hidden;
    judge.emplace(root.path(), "tiny-prm", a,
                  RandomWeights::Extra{{"score.0.weight", {h, h}},
                                       {"score.0.bias", {h}},
                                       {"score.2.weight", {2, h}},
                                       {"score.2.bias", {2}}});
    prm.emplace(std::move(judge->checkpoint), *prm_backend);
  }
  ToyReward reward(prm ? &*prm : nullptr);
  search(options, model_cache, reward);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick")
      options.quick = true;
    else if (option == "--prm")
      options.prm = true;
    else if (option == "--backend" && i + 1 < argc)
      options.backend = argv[++i];
    else if (option == "--budget" && i + 1 < argc)
      options.budget = std::atol(argv[++i]);
    else if (option == "--window" && i + 1 < argc)
      options.window = std::max(8, std::atoi(argv[++i]));
    else if (option == "--memory-limit" && i + 1 < argc)
      options.memory_limit_gb = std::atof(argv[++i]);
    else
      throw Error(
          "whole_search_bench takes --backend, --budget, --window, --memory-limit, --prm and "
          "--quick, not " +
          option);
  }
  return options;
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  return umf::bench_main([&] { umf::run(umf::parse(argc, argv)); });
}
