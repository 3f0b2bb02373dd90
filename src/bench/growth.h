// What may be added to a run, and what must stay as it began.
#pragma once

#include <string>

#include "base/json.h"

namespace umf {

// Manifests are as files have them (sealed()).

// How the run `there` differs from `here`: "its config.json has /window = 16, and this command 32".
// Empty where both are one run. Order and place of problems do not count, nor do devices.
std::string difference(const Json& there, const Json& here);

// `run` with the problems, configurations, budgets and seeds that `wanted` has beyond it, behind
// those that are there: numbers stay. Throws Error naming what cannot be added.
Json grown(const Json& run, const Json& wanted);

// `run` with the kinds of devices of `wanted`. Throws Error where these are others than the run's,
// or several, unless they may be mixed.
Json with_devices(const Json& run, const Json& wanted, bool mix);

// Throws Error where `later` lacks something of `earlier`, or has it at another number.
void require_goes_on(const Json& earlier, const Json& later, const std::string& where);

}  // namespace umf
