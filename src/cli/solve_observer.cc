#include "cli/solve_observer.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "cli/interrupts.h"
#include "report/report.h"
#include "session/search_request.h"

namespace umf {

SolveObserver::SolveObserver(const Configuration& configuration, const ProblemSearch& search,
                             const Wanted& wanted)
    : configuration_(configuration),
      wanted_(wanted),
      progress_(!wanted.progress),
      report_(configuration, search),
      tracer_(search.states()) {
  if (configuration.seconds > 0) progress_.set_limit(configuration.seconds);
  if (wanted.watch)
    watch_.emplace(search.authors(), search.states().setup(), author_names(configuration));
}

bool SolveObserver::passed(const Pass& pass) {
  const long budget = configuration_.solve.budget;
  const int done = static_cast<int>(++nfe_),
            total = budget == kNoBudget ? 0 : static_cast<int>(budget);
  const std::string now = detail_ + ", now " + configuration_.action_names[pass.trial.action];
  if (watch_)
    watch_->show(pass, progress_.text(done, total, now));
  else
    progress_.show(done, total, now);
  return !interrupted();
}

bool SolveObserver::rolled_out(const RolloutEvent& event) {
  nfe_ = event.ledger.nfe;
  report_.watch(event);
  detail_ = fmt::format("best {:.3g}, hits {:.0f} %", event.best ? event.best->reward : 0.0,
                        100 * event.ledger.hit_rate());
  if (wanted_.trace || wanted_.drawing) {
    const nlohmann::ordered_json told = tracer_.event(event);
    if (wanted_.trace) trace_ += trace_line(told);
    if (wanted_.drawing) drawing_ += drawn_line(told);
  }
  return !interrupted();
}

void SolveObserver::clear() {
  progress_.clear();
  watch_.reset();
}

}  // namespace umf
