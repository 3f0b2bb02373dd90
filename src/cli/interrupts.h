// Ctrl-C and its like: the first asks to stop, so that what was found is kept.
#pragma once

#include <csignal>
#include <initializer_list>
#include <stop_token>

namespace umf {

// From now on the first of these signals asks to stop. A second within two seconds is the same
// request: `timeout` and some schedulers signal the process and then its group. A third, or a later
// one, ends the process as it would have without this.
void watch_for_interrupts(std::initializer_list<int> signals = {SIGINT, SIGTERM});

// Until then, for commands that can be begun anew as long as they have only prepared: these signals
// end the process at once with this exit status.
void leave_on(std::initializer_list<int> signals, int status);

bool interrupted();         // one of the watched signals came
int interrupting_signal();  // the first; 0: none came

// Asked to stop by the first watched signal: for those who wait for something else.
std::stop_token interrupt_token();

}  // namespace umf
