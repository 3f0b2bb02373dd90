// Reading and writing files: whole, mapped, and never half-written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace umf {

// open() for what must be a regular file: a pipe or a device, which could keep us waiting for ever,
// is an Error. `purpose` is what cannot be done then: "read", "open".
Descriptor open_regular(const std::filesystem::path& path, int flags, const char* purpose);

// The bytes of a regular file from `begin` on. Throws Error when it cannot be read or has more than
// `limit_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes = 1u << 30,
                      std::uintmax_t begin = 0);

// As read_file, of whatever can be read to its end: pipes too.
std::string read_stream(const std::filesystem::path& path, std::size_t limit_bytes = 1u << 30);

// All of standard input.
std::string read_stdin();

// Writes to a temporary name beside `path` and renames it, so that a reader never sees half a file.
// Links are followed and stay. Devices and pipes are written to as they are.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// A file that is written in pieces, under a temporary name beside `path` until rename() puts it
// there, complete and synced. Without that nothing is left of it. What fails is an Error.
class DraftFile {
 public:
  explicit DraftFile(std::filesystem::path path);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  void append(std::string_view bytes);
  void rename();  // in place of what was there
  bool link();    // false, and nothing changes, where something is there

 private:
  void finish();
  [[noreturn]] void abandon();

  const std::filesystem::path path_;
  std::string name_;
  const Descriptor file_;
};

// A file that will be written: what write_file would refuse is an Error now, before the work whose
// results it is for.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  void write(std::string_view bytes) const;  // once

 private:
  std::filesystem::path path_;
  Descriptor stream_;  // open where it is a device or a pipe, so that its reader stays
};

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
