// How fast work goes and how long the rest will take, told steadily.
#pragma once

#include <optional>

namespace umf {

// A mean over the last quarter of the time, and over half a minute at least, that fades out: one
// slow step does not move it, a change that stays does. What was done before the first note (by
// earlier runs) is no measure of pace.
class Pace {
 public:
  // So much is done at that time; neither ever falls.
  void note(double done, double seconds);

  double per_second() const { return time_ > 0 ? work_ / time_ : 0; }
  // For what is left of `total` after the last note; nothing while the pace is not known.
  std::optional<double> seconds_left(double total) const;

 private:
  bool begun_ = false;
  double first_seconds_ = 0, last_seconds_ = 0, last_done_ = 0;
  double work_ = 0, time_ = 0;  // faded sums
};

}  // namespace umf
