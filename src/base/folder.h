// A folder that is only read: a directory, or files that were built into the program.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace umf {

struct BuiltInFile {
  std::string_view name;
  std::span<const std::byte> bytes;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// A plain table for the life of the program (cmake/embed_files.cmake makes them).
struct BuiltInFolder {
  std::string_view name;
  std::span<const BuiltInFile> files;  // by name
};

class Folder {
 public:
  Folder(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Folder(const BuiltInFolder& built_in) : built_in_(&built_in) {}

  bool contains(const std::string& name) const;
  // The whole file. Throws Error when it cannot be read or is larger than `limit_bytes`.
  std::string read(const std::string& name, std::size_t limit_bytes = 1u << 30) const;
  // The bytes where they are; pages are read when they are touched.
  MappedFile map(const std::string& name) const;
  std::vector<std::string> names() const;  // of all files, sorted

  // For messages: where the folder is, and where a file of it is or would be.
  std::string place() const;
  std::string place(const std::string& name) const;
  // The same folder, by whatever path.
  bool is(const Folder& other) const;

 private:
  const BuiltInFile* find(const std::string& name) const;

  std::filesystem::path directory_;
  const BuiltInFolder* built_in_ = nullptr;
};

}  // namespace umf
