// The results of a run: every worker appends to a file of its own, and all read all.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

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
  void open();

  std::filesystem::path path_;
  std::mutex mutex_;
  Descriptor file_;
};

// What to do with a line that is no result: whoever reports refuses it; whoever works goes on
// without it, because over a network a line may be seen before its bytes are, and looks again.
enum class BadLines { kAreErrors, kAreWarnings };

// One result of each key: the first that is settled, whoever made it; else the last try. A line
// without its end was torn by a crash and is not there. One thread at a time.
class ResultIndex {
 public:
  explicit ResultIndex(std::filesystem::path folder, BadLines bad_lines = BadLines::kAreErrors)
      : folder_(std::move(folder)), bad_lines_(bad_lines) {}
  // Of a run: results that do not belong to what its manifest says are an Error.
  explicit ResultIndex(const RunDirectory& run, BadLines bad_lines = BadLines::kAreErrors)
      : folder_(run.results()), known_(run.manifest().known()), bad_lines_(bad_lines) {}

  // Whether a worker has left, so that its file does not grow any more.
  using HasLeft = std::function<bool(const std::string& worker)>;

  // Reads what was appended since the last time: of the files that grew before, or have grown as
  // far as their sizes tell.
  void refresh(const HasLeft& has_left = {});
  // The same, of these workers' files alone.
  void refresh_of(const std::set<std::string>& workers);
  // The same, where they have files that are known: whoever asks for one that is not there yet may
  // be told so for a minute.
  void refresh_known(const std::set<std::string>& workers);
  // The same, but opens every file: where sizes are cached, that makes a network file system look.
  void refresh_all();
  // What was read up to now stays after a power cut.
  void sync();

  // Called with the key of each result that is new or another one now.
  void notify(std::function<void(const ResultKey&)> changed) { changed_ = std::move(changed); }

  int settled() const { return settled_; }  // of all()
  const Result* find(const ResultKey& key) const;
  const std::map<ResultKey, Result>& all() const { return results_; }
  std::uintmax_t bytes_read() const { return bytes_read_; }  // grows with every new line
  std::vector<std::string> warnings() const;                 // lines that are no results
  long operations() const { return operations_; }            // on names, which a server must answer

 private:
  struct File {
    std::uintmax_t read_up_to = 0, size = 0;
    bool sealed = false;  // it was read after its worker had left
    bool unsynced = false;
    bool grew = false;  // when it was last looked at: so it is opened without asking for its size
    // Lines that could not be read, by where they begin: their end, and why.
    std::map<std::uintmax_t, std::pair<std::uintmax_t, std::string>> bad;
  };
  enum class Look { kWhereGrown, kOpen };

  void look(const std::string& name, Look how);
  void read(const std::string& name, File& file);
  void take(const std::string& name, File& file, const std::string& line, std::uintmax_t begin);
  void retry(const std::string& name, File& file);
  void add(Result result);

  std::filesystem::path folder_;
  Manifest::Known known_;
  BadLines bad_lines_;
  std::map<std::string, File> files_;  // by name
  std::uintmax_t bytes_read_ = 0;
  long operations_ = 0;
  std::map<ResultKey, Result> results_;
  int settled_ = 0;
  std::function<void(const ResultKey&)> changed_;
};

}  // namespace umf
