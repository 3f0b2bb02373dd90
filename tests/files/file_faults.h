// What may go wrong with files: this program's own system calls on them, refused, ended or undone.
//
// The program that contains file_faults.cc calls the functions there in place of the C library's.
// Without a fault they do the same.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace umf::faults {

// This process ends before the main thread's operation of this number that changes a file or a
// folder, from 1 on, as if it were killed. Returns how many there were so far, when set.
void die_before(long operation, std::function<void()> last_words = {});

// From now on, for names that contain `part`, `call` ("link", "open", "write") fails so.
void refuse(const std::string& call, const std::string& part, int error);
void refuse_nothing();

// What a client of a network file system keeps for so long, without asking again when it opens a
// file: bytes, sizes and absences. What it writes itself it knows.
struct Cache {
  double seconds;
  std::function<double()> clock;
  struct Seen {
    double at = 0;
    int error = 0;
    struct stat info {};
    std::string bytes;
  };
  std::map<std::string, Seen> seen;
};
// As long as it lives, this thread sees files so.
class Through {
 public:
  explicit Through(Cache& cache);
  ~Through();
};

// From now on it is noted what under `root` was synced: files, and the names in folders.
void watch_disk(const std::filesystem::path& root);
// The same tree as a power cut would leave it: what was not synced is not there.
void power_cut(const std::filesystem::path& copy);

}  // namespace umf::faults
