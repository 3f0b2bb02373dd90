// The results of a run: every worker appends to a file of its own, and all read all.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "base/descriptor.h"
#include "bench/result.h"
#include "bench/run_directory.h"

namespace umf {

// Appends lines and syncs each. May be used from several threads.
class ResultWriter {
 public:
  explicit ResultWriter(std::filesystem::path file);  // made with the first line

  void append(const Result& result);

 private:
  std::filesystem::path path_;
  std::mutex mutex_;
  Descriptor file_;
};

// One result of each key: the first that is settled, whoever made it; else the last try. A line
// without its end was torn by a crash and is not there. One thread at a time.
class ResultIndex {
 public:
  explicit ResultIndex(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Of a run: results that do not belong to what its manifest says are an Error.
  explicit ResultIndex(const RunDirectory& run)
      : folder_(run.results()), known_(run.manifest().known()) {}

  // Reads what was appended since the last time. Throws Error for a line that is no result.
  void refresh();
  const Result* find(const ResultKey& key) const;
  const std::map<ResultKey, Result>& all() const { return results_; }
  std::uintmax_t bytes_read() const { return bytes_read_; }  // grows with every new line

 private:
  void read(const std::filesystem::path& file);
  void add(Result result);

  std::filesystem::path folder_;
  Manifest::Known known_;
  std::map<std::string, std::uintmax_t> read_up_to_;  // by file name
  std::uintmax_t bytes_read_ = 0;
  std::map<ResultKey, Result> results_;
};

}  // namespace umf
