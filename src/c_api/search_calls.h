// A search over a caller's own world, in JSON.
#pragma once

#include <memory>

#include "base/json.h"
#include "session/solution_json.h"
#include "solve/ask_tell.h"

namespace umf {

// Throws Error, as all of these do.
std::unique_ptr<AskTell> open_search(const Json& options);
OrderedJson ask(AskTell& search, int at_most);
void tell(AskTell& search, const Json& outcome);
OrderedJson found(const AskTell& search);

}  // namespace umf
