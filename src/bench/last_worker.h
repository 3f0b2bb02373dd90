// What the last worker to leave does for a complete run, and others in its place where it was
// killed.
#pragma once

#include "bench/lease.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"

namespace umf {

// Whether there are all results of the run, as it is now: it may have grown.
bool is_complete(const RunDirectory& run, const ResultIndex& results);

// Removes what searches, and workers that are gone, left behind in a complete run.
void clear_away(const RunDirectory& run, Leases& leases, const Heartbeat& heartbeat);

enum class LastSteps {
  kNotLeft,   // all workers left in good order, or somebody lives who will see to it
  kTaken,     // the views are written, and the rest is cleared away
  kNotKnown,  // whether the one who was to write the views lives
};
// A worker of a complete run that did not leave in good order may have been killed in the middle of
// the views. Does in its place what was left to do, and waits for about `patience` seconds at most
// to know that it is dead. Throws Error where nothing can be written.
LastSteps finish_for_killed_worker(const RunDirectory& run, double patience);

}  // namespace umf
