// A search whose walks are made by whoever asks for them: ask for trials, tell what came of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solve/searches.h"

namespace umf {

struct AskTellOptions {
  std::string search = default_search();
  ChosenOptions options;
  int actions = 1;
  int steps = 1;  // from the root to an end; each costs one pass of the budget
  std::uint64_t seed = 0;
  SolveOptions solve;
};

// solve() on a thread of its own, over a world of which it knows what it is told. May be used from
// several threads.
class AskTell {
 public:
  // Throws Error for a search that cannot take the options, and for one that goes pass by pass.
  explicit AskTell(const AskTellOptions& options);
  ~AskTell();  // ends the search
  AskTell(const AskTell&) = delete;
  AskTell& operator=(const AskTell&) = delete;

  struct Asked {
    Trial trial;
    int steps = 0;         // left at its start
    int limit = 0;         // so many may be made; below `steps` where a budget cuts the walk
    bool certain = false;  // the search asks for it, whatever comes of those before
  };
  // What the search waits for, and after it, up to `at_most` in all, what it will probably ask for
  // next: these may be walked at the same time. Asking again gives those that were not told yet
  // again. Empty when the search has ended. Throws Error where it broke down.
  std::vector<Asked> ask(int at_most = 1);

  // The states after each step of the walk, none of them the root's 0, and the verdict on the last.
  // No states: the action cannot be applied. What is told of a trial that the search has not come
  // to yet is kept until it does, so that the order of telling does not matter. Throws Error for a
  // trial that was not asked for, and for states that contradict what was told before.
  void tell(const Trial& trial, const std::vector<StateId>& states, Verdict verdict);

  // So far: the best candidate, the ledger and, once it has ended, why.
  Solution solution() const;
  bool ended() const;

 private:
  class World;
  std::unique_ptr<World> world_;
};

}  // namespace umf
