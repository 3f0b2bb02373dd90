#include "sandbox/scratch.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace fs = std::filesystem;
namespace {

// Unguessable, and entered only by those who know the name.
std::string make_folder(const std::string& parent) {
  std::string path = parent + "/umf-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr || ::chmod(path.c_str(), 0711) != 0)
    throw Error(fmt::format("cannot make a folder in {}: {}", parent, std::strerror(errno)));
  return path;
}

}  // namespace

void check_scratch_path(const std::string& path) {
  const fs::path parts(path);
  bool fine = !path.empty() && path.size() < 1024 && path.find('\0') == std::string::npos &&
              parts.is_relative() && parts.has_filename();
  for (const fs::path& part : parts) fine = fine && part != ".." && part != ".";
  if (!fine)
    throw Error(fmt::format(
        "'{}' cannot name a file of a sandboxed command: it must be a relative path", path));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

ScratchFolders::ScratchFolders(bool needed)
    : root_(needed ? make_folder(fs::temp_directory_path().string()) : "") {}

ScratchFolder ScratchFolders::make(const std::map<std::string, std::string>& files) const {
  if (root_.path().empty()) return ScratchFolder("");
  ScratchFolder folder(make_folder(root_.path()));
  for (const auto& [path, content] : files) {
    const fs::path whole = fs::path(folder.path()) / path;
    fs::create_directories(whole.parent_path());
    write_file(whole, content);
    fs::permissions(whole, fs::perms(0644));
  }
  return folder;
}

}  // namespace umf
