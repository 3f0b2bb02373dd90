// The seam between what to try next and how it is done: a search knows no tokens, models or
// rewards' makers.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "search/trial.h"

namespace umf {

struct Foreseen;
struct ForecastOptions;
struct Outlook;

// The reward as searches average it: inside [0, 1], what failed as 0. The raw value decides which
// answer is returned.
double bounded(double reward);

class Search {
 public:
  virtual ~Search() = default;
  // What to try next; nothing when there is nothing left. Asking again without telling gives the
  // same.
  virtual std::optional<Trial> ask() = 0;
  // The outcome of the trial asked for last.
  virtual void tell(const Trial& trial, const Outcome& outcome) = 0;
  // The most passes that the trial asked for last may spend; a trial that reaches it is cut there
  // and told, and the search goes on. The run's own budget may allow less.
  static constexpr long kUnlimited = std::numeric_limits<long>::max();
  virtual long pass_limit() const { return kUnlimited; }
  // The walks that follow the trial which was asked for and not told, in order. A guess about when
  // work is worth starting, never about what it gives: the search may turn out to ask for something
  // else. Ends where a walk would start from a state that is not there yet.
  virtual std::vector<Foreseen> forecast(const Outlook& outlook,
                                         const ForecastOptions& options) const;
  // Whether outcomes shall tell how their ends can be opened again.
  virtual bool wants_openings() const { return false; }
  virtual int nodes() const { return 1; }  // of its tree, the root included
  virtual int depth() const { return 0; }  // levels below the root
};

}  // namespace umf
