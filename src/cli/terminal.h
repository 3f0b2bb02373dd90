// What stderr can show.
#pragma once

namespace umf {

struct TerminalSize {
  int columns = 0, rows = 0;  // 0: no terminal
};

bool stderr_is_live();       // a terminal that can move its cursor
bool stderr_has_colour();    // that, and the user did not say no (NO_COLOR)
TerminalSize stderr_size();  // now: users change it

}  // namespace umf
