// Reading and writing files: whole, mapped, and never half-written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace umf {

// The whole file as bytes. Throws Error when it cannot be read or is larger than `limit_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes = 1u << 30);

// All of standard input.
std::string read_stdin();

// Writes to a temporary name beside `path` and renames it, so that a reader never sees half a file.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// As write_file, but only where nothing stands at `path`: false when something does. Of several who
// try at once, on whatever machines share the folder, exactly one succeeds.
bool create_file(const std::filesystem::path& path, std::string_view bytes);

// A file mapped read-only for as long as the object lives. Pages are read when they are touched.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  // A view of bytes that outlive it: those of a file that is part of the program.
  static MappedFile in_memory(std::span<const std::byte> bytes);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Gives the resident pages back; they are read again when they are touched.
  void release_pages() const;

 private:
  MappedFile() = default;

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;  // by this object, which unmaps it
};

}  // namespace umf
