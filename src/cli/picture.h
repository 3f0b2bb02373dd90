// A window as code on a terminal: text in the colours of its authors, masks as dots.
#pragma once

#include <string>
#include <vector>

namespace umf {

struct PaintedCell {
  std::string bytes;  // of a token: characters may be cut between cells
  int author = -1;    // an action; below 0: nobody known
  bool masked = false;
  bool fresh = false;  // written by the newest pass
};

struct PictureFrame {
  int columns = 80, rows = 24;  // at most
  bool colour = true;           // without it letters in front of a line tell who wrote there
};

// The lines, without newlines, none wider than the frame. Control and formatting characters of the
// text become U+FFFD: it must not command the terminal. Of more lines than rows those around the
// newest writing are shown.
std::vector<std::string> picture(const std::vector<PaintedCell>& cells, const PictureFrame& frame);

// "A dream  B llada": who is who, in the colours or by the letters of the picture.
std::string legend(const std::vector<std::string>& names, const PictureFrame& frame);

}  // namespace umf
