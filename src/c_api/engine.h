// Models on a backend that are kept between calls.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "setup/solve_setup.h"

namespace umf {

// A model cache serves one call at a time, so that calls at the same time get one each; files of
// models are mapped, and their pages are shared.
class Engine {
 public:
  // `options` as SolveCliOptions::read_machine() takes them. Throws Error.
  explicit Engine(const Json& options);

  const SolveCliOptions& options() const { return options_; }

  struct Models {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<ModelCache> model_cache;
  };
  // Models that nobody else has; they go back when it goes out of scope. The engine must outlive
  // it.
  class Hold {
   public:
    explicit Hold(Engine& engine);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ModelCache& operator*() const { return *models_.model_cache; }
    ModelCache* operator->() const { return models_.model_cache.get(); }

   private:
    Engine& engine_;
    Models models_;
  };

 private:
  SolveCliOptions options_;
  std::atomic<int> made_ = 0;  // so far: each begins with another device
  std::mutex mutex_;
  std::vector<Models> idle_;  // the last used last: its models are loaded
};

}  // namespace umf
