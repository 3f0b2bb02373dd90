// How many passes of a small model a device makes per second when several workers ask at once:
// each has a stream of its own, all share the weights. The shape of the models that come with the
// program, one mask fewer from pass to pass as in a walk.
//   workers_bench [--backend NAME] [--workers N] [--positions N] [--seconds S]
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "backend/backends.h"
#include "base/error.h"
#include "model/language_model.h"
#include "support/bench_timing.h"
#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {
namespace {

struct Options {
  std::vector<std::string> backends = {"cuda", "cuda-f32"};
  std::vector<int> workers = {1, 4, 16, 32};
  int positions = 160;
  double seconds = 1.5;
};

std::shared_ptr<const Checkpoint> write_model(const std::filesystem::path& root,
                                              TinyFamily family) {
  TinySpec spec = custom_spec(family);
  spec.name = "small";
  spec.layers = 8;
  spec.hidden = 256;
  spec.heads = spec.kv_heads = 4;
  spec.mlp = 704;
  spec.vocab = 733;
  const std::filesystem::path place = root / std::to_string(static_cast<int>(family));
  write_random_model(spec, place, {.dtype = "BF16"});
  return std::make_shared<const Checkpoint>(open_checkpoint({place, ""}));
}

// One worker: walks from the first mask to the last, again and again.
class Walk {
 public:
  Walk(const std::string& backend, std::shared_ptr<const Checkpoint> checkpoint, int positions)
      : backend_(make_backend(backend, {})), model_("small", std::move(checkpoint), *backend_) {
    const int masks = positions * 3 / 5;
    for (int i = 0; i < positions; ++i) {
      start_.push_back(i < positions - masks ? 10 + i * 7 % 200 : model_.info().tokens.mask);
      if (i >= positions - masks) masks_.push_back(i);
    }
  }
  template <class GoOn>
  long passes(const GoOn& go_on) {
    long made = 0;
    const int block = model_.info().block;
    while (true) {
      std::vector<Token> tokens = start_;
      for (std::size_t i = 0; i < masks_.size(); ++i, ++made) {
        if (!go_on()) return made;
        std::span<const int> wanted = std::span(masks_).subspan(i);
        if (block > 0) {
          const int end = (wanted[0] / block + 1) * block;
          while (wanted.back() >= end) wanted = wanted.first(wanted.size() - 1);
        }
        const Query query{tokens, wanted, {}};
        tokens[wanted[0]] = model_.predict({&query, 1}).front().front().token;
      }
    }
  }
  // Twice over the walk: everything is chosen and recorded.
  void warm_up() {
    std::size_t left = 2 * masks_.size();
    passes([&] { return left-- > 0; });
  }

 private:
  std::unique_ptr<Backend> backend_;
  LanguageModel model_;
  std::vector<Token> start_;
  std::vector<int> masks_;
};

void measure(const Options& options, const std::string& backend, const char* family,
             const std::shared_ptr<const Checkpoint>& checkpoint, int workers) {
  std::vector<std::unique_ptr<Walk>> walks;
  const auto before = BenchClock::now();
  for (int i = 0; i < workers; ++i)
    walks.push_back(std::make_unique<Walk>(backend, checkpoint, options.positions));
  std::atomic<int> ready = 0;
  std::atomic<bool> go = false, stop = false;
  std::atomic<long> made = 0;
  std::vector<std::thread> threads;
  for (const auto& walk : walks) {
    threads.emplace_back([&] {
      walk->warm_up();
      ++ready;
      while (!go) std::this_thread::yield();
      made += walk->passes([&] { return !stop.load(std::memory_order_relaxed); });
    });
  }
  while (ready < workers) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double warm = seconds_since(before);
  const auto start = BenchClock::now();
  go = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const double rate = static_cast<double>(made) / seconds_since(start);
  fmt::print("| {} | {} | {} | {:.0f} | {:.3f} | {:.1f} |\n", backend, family, workers, rate,
             1000 * workers / rate, warm);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--backend")
      options.backends = {value};
    else if (option == "--workers")
      options.workers = {std::max(1, std::atoi(value.c_str()))};
    else if (option == "--positions")
      options.positions = std::clamp(std::atoi(value.c_str()), 8, 512);
    else if (option == "--seconds")
      options.seconds = std::atof(value.c_str());
    else
      throw Error("workers_bench takes --backend, --workers, --positions and --seconds, not " +
                  option);
  }
  return options;
}

void run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const TemporaryDirectory root;
  const auto full = write_model(root.path(), TinyFamily::kLlada);
  const auto blocks = write_model(root.path(), TinyFamily::kStableDiffCoder);
  fmt::print(
      "{} positions\n\n| backend | attention | workers | passes/s | ms per pass | ready after s |\n"
      "|---|---|---|---|---|---|\n",
      options.positions);
  for (const std::string& backend : options.backends) {
    for (const int workers : options.workers) {
      measure(options, backend, "full", full, workers);
      measure(options, backend, "blocks", blocks, workers);
    }
  }
}

}  // namespace
}  // namespace umf

int main(int argc, char** argv) {
  try {
    umf::run(argc, argv);
  } catch (const umf::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
