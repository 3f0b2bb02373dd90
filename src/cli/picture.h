// A window as code on a terminal: text in the colours of its authors, masks as dots, those of the
// block that is being filled as bullets.
#pragma once

#include <string>
#include <vector>

namespace umf {

struct PaintedCell {
  std::string bytes;  // of a token: characters may be cut between cells
  int author = -1;    // an action; below 0: nobody known
  bool masked = false;
  bool active = false;  // a mask of the block that is being filled, where there are blocks
  bool fresh = false;   // written by the newest pass
};

struct PictureFrame {
  int columns = 80, rows = 24;  // at most
  bool colour = true;           // without it letters in front of a line tell who wrote there
};

// The lines, without newlines, none wider than the frame. Control and formatting characters of the
// text become U+FFFD: it must not command the terminal. Of more lines than rows those around the
// newest writing are shown.
std::vector<std::string> picture(const std::vector<PaintedCell>& cells, const PictureFrame& frame);

// "A dream  B llada  • active  · waiting": who is who, in the colours or by the letters of the
// picture; and, where there are blocks, which masks are which.
std::string legend(const std::vector<std::string>& names, bool blocks, const PictureFrame& frame);

}  // namespace umf
