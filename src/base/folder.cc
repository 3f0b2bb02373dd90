#include "base/folder.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace umf {

namespace fs = std::filesystem;

const BuiltInFile* Folder::find(const std::string& name) const {
  const auto found = std::ranges::find(built_in_->files, name, &BuiltInFile::name);
  return found == built_in_->files.end() ? nullptr : &*found;
}

bool Folder::contains(const std::string& name) const {
  if (built_in_ != nullptr) return find(name) != nullptr;
  std::error_code ignored;  // a folder that cannot be entered has nothing for us, either
  return fs::exists(directory_ / name, ignored);
}

std::string Folder::read(const std::string& name, std::size_t limit_bytes) const {
  if (built_in_ == nullptr) return read_file(directory_ / name, limit_bytes);
  const MappedFile file = map(name);
  if (file.bytes().size() > limit_bytes) {
    throw Error(fmt::format("'{}' is larger than {} bytes", place(name), limit_bytes));
  }
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

MappedFile Folder::map(const std::string& name) const {
  if (built_in_ == nullptr) return MappedFile(directory_ / name);
  const BuiltInFile* file = find(name);
  if (file == nullptr) throw Error(fmt::format("there is no '{}' in this program", place(name)));
  return MappedFile::in_memory(file->bytes);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> found;
  if (built_in_ != nullptr) {
    for (const BuiltInFile& file : built_in_->files) found.emplace_back(file.name);
  } else {
    for (const auto& entry : fs::directory_iterator(directory_))
      found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string Folder::place() const {
  return built_in_ == nullptr ? directory_.string() : fmt::format("embedded:{}", built_in_->name);
}

std::string Folder::place(const std::string& name) const {
  return built_in_ == nullptr ? (directory_ / name).string() : place() + "/" + name;
}

bool Folder::is(const Folder& other) const {
  if (built_in_ != nullptr || other.built_in_ != nullptr) return built_in_ == other.built_in_;
  std::error_code absent;
  return fs::equivalent(directory_, other.directory_, absent);
}

}  // namespace umf
