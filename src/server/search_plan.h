// How a request wants to be searched.
#pragma once

#include "server/task_maker.h"
#include "session/configuration.h"

namespace umf {

// The configuration that `umf solve` makes from the same choices. Throws Error.
Configuration plan_search(const ApiRequest& request, const TaskMaker& models,
                          ModelCache& model_cache);

// The problem, or the conversation as one: the last message is what is asked.
Problem asked_problem(const ApiRequest& request);

}  // namespace umf
