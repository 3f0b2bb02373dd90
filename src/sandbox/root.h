// The file system that sandboxed programs see: a small read-only tree of this machine's programs.
#pragma once

#include <string>
#include <vector>

namespace umf {

class RootPlan {
 public:
  RootPlan() = default;
  static RootPlan of_this_machine();

  // Makes it the root of the calling process, which must be alone in a new mount namespace. Makes
  // system calls only. Returns nullptr, or the step that failed (errno tells why).
  const char* build() const;

 private:
  struct Step {
    enum Kind { kFolder, kBindFolder, kBindFile, kLink, kFile } kind;
    std::string source, target;  // target below the new root; of a kFile, source is the content
  };
  const char* perform(const Step& step) const;

  std::vector<Step> steps_;
};

}  // namespace umf
