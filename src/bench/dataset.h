// Data sets: problems with their hidden tests, from the files people have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/problem.h"

namespace umf {

struct Task {
  Problem problem;
  Json hidden;  // a reward that decides whether an answer is right; null where there is none
};

struct DatasetOptions {
  std::string kind;  // evalplus, humaneval, mbpp, livecodebench, math, problems; "": by its fields
  std::string
      prompt_style;       // which wording of the prompts (assets/prompts); "": the kind's default
  std::string prompts;    // a file of wordings in place of the built-in ones
  bool skip_bad = false;  // leave out malformed lines instead of failing
  // First `ids` choose, then `sample` draws, then `limit` cuts.
  std::vector<std::string> ids;  // only these, in the data set's order; empty: all
  int sample = 0;                // so many, drawn without replacement; 0: no sampling
  std::uint64_t sample_seed = 0;
  int limit = 0;  // the first so many; 0: all
};

struct Dataset {
  std::string kind;
  std::string fingerprint;           // of the bytes and of the options that choose among them
  std::vector<Task> tasks;           // in the file's order; ids are unique
  std::vector<std::string> skipped;  // "line 17: ...", with skip_bad
};

// Reads JSON Lines, plain or gzip. A record's numbers keep their text where they matter. Throws
// Error naming the line.
Dataset read_dataset(const std::string& path, const DatasetOptions& options);

}  // namespace umf
