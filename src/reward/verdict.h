// What a judge says of an answer.
#pragma once

#include <string>

namespace umf {

struct Verdict {
  double reward = 0;  // from 0 to 1; NaN where the judge itself failed
  std::string why;    // for people: "test 3: expected 7, got 5"
};

}  // namespace umf
