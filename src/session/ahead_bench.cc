// What a second worker is worth: the same search on one core, on two cores that share every pass,
// and on two workers that work ahead; and, with models that only wait, what forecasts allow at
// best. Prints Markdown; every figure is a ratio inside one run, medians of interleaved rounds.
#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "backend/cpu/cpu_backend.h"
#include "base/random.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "session/problem_search.h"
#include "support/bench_timing.h"
#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {
namespace {

constexpr int kWindow = 40;

// Eighths that depend on every byte, after `milliseconds` of waiting: a judge that runs tests.
class Judge final : public Reward {
 public:
  explicit Judge(int milliseconds) : pause_(milliseconds) {}
  Verdict judge(std::string_view answer) override {
    std::this_thread::sleep_for(pause_);
    std::uint32_t hash = 2166136261;
    for (const unsigned char c : answer) hash = (hash ^ c) * 16777619;
    return {(hash >> 8) % 8 / 8.0, ""};
  }
  int parts() const override { return 8; }

 private:
  std::chrono::milliseconds pause_;
};

// The shape of a small model that comes with a program (forward_bench).
std::filesystem::path write_model(const std::filesystem::path& root, TinyFamily family) {
  TinySpec spec = custom_spec(family);
  spec.name = "bench";
  spec.layers = 8;
  spec.hidden = 256;
  spec.heads = spec.kv_heads = 4;
  spec.mlp = 1024;
  spec.vocab = 2048;
  const std::filesystem::path place = root / std::to_string(static_cast<int>(family));
  write_random_model(spec, place);
  return place;
}

struct Variant {
  const char* name;
  int workers, threads;  // threads of each
};
constexpr Variant kVariants[] = {{"1 worker, 1 thread", 1, 1},
                                 {"1 worker, 2 threads", 1, 2},
                                 {"2 workers, 1 thread each", 2, 1}};

struct Measured {
  std::vector<double> seconds;
  Speculation ahead;
  long nfe = 0;
  std::string answer;
};

void measure(const Variant& variant, const std::vector<std::filesystem::path>& models,
             const Configuration& configuration, Reward& reward, Measured& measured) {
  const auto backend = make_cpu_backend(variant.threads, "");
  ModelCache model_cache(*backend, 0);
  for (const auto& model : models) model_cache.add(model.filename(), open_checkpoint({model, ""}));
  for (int i = 1; i < variant.workers; ++i)
    model_cache.add_replica(make_cpu_backend(variant.threads, ""));
  const Problem problem{.id = "bench", .prompt = "Go."};
  Configuration own = configuration;
  own.workers = variant.workers;
  ProblemSearch search(own, model_cache, problem, reward);
  const auto start = BenchClock::now();
  SearchObserver nobody;
  const Solution solution = search.run(nobody);
  measured.seconds.push_back(seconds_since(start));
  measured.ahead = search.speculation();
  measured.nfe = solution.ledger.nfe;
  measured.answer = search.text(solution.best->end);
}

void compare(const std::vector<std::filesystem::path>& models, int windows, int judge_ms,
             int rounds) {
  Configuration configuration{.search_name = "unmaskfork"};
  for (std::size_t i = 0; i < models.size(); ++i) {
    configuration.models.push_back(static_cast<int>(i));
    configuration.model_names.push_back(fmt::format("model {}", i));
    configuration.action_names.push_back(fmt::format("model {}", i));
    configuration.actions.push_back({.model = static_cast<int>(i)});
  }
  configuration.walk.window = kWindow;
  configuration.walk.ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)};
  configuration.solve.budget = static_cast<long>(kWindow) * windows;
  Judge judge(judge_ms);
  Measured measured[std::size(kVariants)];
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < std::size(kVariants); ++i)
      measure(kVariants[i], models, configuration, judge, measured[i]);
  }
  const double alone = median(measured[0].seconds);
  for (std::size_t i = 0; i < std::size(kVariants); ++i) {
    const Measured& m = measured[i];
    fmt::print("| {} | {} ms | {} | {:.2f} | {:.2f} | {:.0f} % | {:.0f} % | {} |\n", windows,
               judge_ms, kVariants[i].name, alone / median(m.seconds),
               median(measured[1].seconds) / median(m.seconds),
               100.0 * static_cast<double>(m.ahead.used) / static_cast<double>(m.nfe),
               100.0 * static_cast<double>(m.ahead.wasted()) / static_cast<double>(m.nfe),
               m.answer == measured[0].answer ? "same" : "DIFFERENT");
  }
  std::fflush(stdout);
}

// ---- what forecasts allow: a pass takes its time and no core, as on a device

class WaitingModel final : public Model {
 public:
  WaitingModel(const Lexicon& lexicon, std::uint64_t salt)
      : info_{.name = "waiting",
              .family = "bench",
              .tokens = lexicon.tokens,
              .vocabulary = lexicon.tokenizer->size(),
              .max_length = 4096},
        salt_(salt) {}
  const ModelInfo& info() const override { return info_; }
  std::vector<std::vector<Prediction>> predict(std::span<const Query> batch) override {
    std::vector<std::vector<Prediction>> answers;
    for (const Query& query : batch) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const NoiseKey key = noise_key(salt_, 0, query.tokens);
      auto& answer = answers.emplace_back();
      for (const int position : query.positions) {
        const std::uint32_t word = noise_word(key, position, 0);
        answer.push_back({static_cast<Token>(word % 200), open_unit(word), 0.1f, open_unit(word)});
      }
    }
    return answers;
  }

 private:
  ModelInfo info_;
  std::uint64_t salt_;
};

struct WaitingRun {
  double seconds = 0;
  Speculation ahead;
  Solution solution;
};

WaitingRun run_waiting(const std::string& name, int workers, int windows, std::uint64_t seed) {
  const Lexicon& lexicon = llada_lexicon();
  std::vector<std::unique_ptr<WaitingModel>> models;
  std::vector<WalkSetup> setups;
  const int actions = name == "best-of-n" || name == "dts" ? 1 : 2;
  for (int i = 0; i <= workers; ++i) {  // the first keeps the states
    std::vector<Participant> participants;
    std::vector<Action> list;
    for (int k = 0; k < actions; ++k) {
      models.push_back(std::make_unique<WaitingModel>(lexicon, 10 * seed + k));
      participants.push_back({models.back().get(), lexicon.tokenizer, {}});
      list.push_back({.model = k, .temperature = 1});
    }
    setups.emplace_back(participants, list,
                        WalkOptions{.window = kWindow,
                                    .ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)}});
  }
  Judge judge(0);
  RolloutCache known;
  States states(setups.front());
  std::vector<Walker> walkers;
  for (int i = 1; i <= workers; ++i) walkers.emplace_back(setups[i]);
  const auto search = make_search(
      name, {.root = states.setup().root(), .actions = actions, .seed = seed, .cache = &known});
  WaitingRun result;
  AheadWorld world(states, std::move(walkers), judge, {});
  world.set_forecast(forecast_of(*search, known, states, judge, true));
  const auto start = BenchClock::now();
  result.solution = solve(*search, world, known, {.budget = static_cast<long>(kWindow) * windows});
  result.seconds = seconds_since(start);
  result.ahead = world.finish();
  return result;
}

void compare_waiting(const char* name, int windows, int problems) {
  constexpr int kWorkers[] = {1, 2, 4};
  double seconds[std::size(kWorkers)] = {};
  long wasted[std::size(kWorkers)] = {}, nfe = 0;
  for (int seed = 1; seed <= problems; ++seed) {
    for (std::size_t i = 0; i < std::size(kWorkers); ++i) {
      const WaitingRun run = run_waiting(name, kWorkers[i], windows, seed);
      seconds[i] += run.seconds;
      wasted[i] += run.ahead.wasted();
      if (i == 0) nfe += run.solution.ledger.nfe;
    }
  }
  const auto percent = [&](long passes) {
    return 100.0 * static_cast<double>(passes) / static_cast<double>(nfe);
  };
  fmt::print("| {} | {} | {:.2f} | {:.0f} % | {:.2f} | {:.0f} % |\n", name, windows,
             seconds[0] / seconds[1], percent(wasted[1]), seconds[0] / seconds[2],
             percent(wasted[2]));
  std::fflush(stdout);
}

int run(int rounds) {
  fmt::print(
      "| search | windows | 2 workers | wasted | 4 workers | wasted "
      "|\n|---|---|---|---|---|---|\n");
  for (const char* name : {"unmaskfork", "best-of-n", "dts", "ab-mcts-a"}) {
    for (const int windows : {4, 16}) compare_waiting(name, windows, 2 * rounds);
  }
  fmt::print("\n");
  const TemporaryDirectory root;
  const std::vector<std::filesystem::path> models = {write_model(root.path(), TinyFamily::kLlada),
                                                     write_model(root.path(), TinyFamily::kDream)};
  fmt::print(
      "| windows | judge | | against 1 worker, 1 thread | against 1 worker, 2 threads | begun "
      "early "
      "and used | wasted | answer |\n|---|---|---|---|---|---|---|---|\n");
  compare(models, 4, 0, rounds);
  compare(models, 16, 0, rounds);
  compare(models, 8, 100, rounds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("\npeak memory {} MB\n", usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace umf

int main(int count, char** words) {
  const bool quick = count > 1 && std::strcmp(words[1], "--quick") == 0;
  return umf::run(quick ? 1 : 3);
}
