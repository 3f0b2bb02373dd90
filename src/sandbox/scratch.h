// Scratch folders on the host, for walls without a mount namespace. In a namespace the cell makes
// its own and this does nothing.
#pragma once

#include <map>
#include <string>

namespace umf {

// Throws Error unless `path` stays inside the folder that it is put into.
void check_scratch_path(const std::string& path);

class ScratchFolder {
 public:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class ScratchFolders {
 public:
  explicit ScratchFolders(bool needed);

  const std::string& path() const { return root_.path(); }
  // A folder that holds `files`; "" where none are needed.
  ScratchFolder make(const std::map<std::string, std::string>& files) const;

 private:
  ScratchFolder root_;
};

}  // namespace umf
