// Reading and writing files: whole, mapped, and never half-written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace umf {

// open() for what must be a regular file: a pipe or a device, which could keep us waiting for ever,
// is an Error. `purpose` is what cannot be done then: "read", "open".
Descriptor open_regular(const std::filesystem::path& path, int flags, const char* purpose);

// The bytes of a regular file from `begin` on. Throws Error when it cannot be read or has more than
// `limit_bytes`.
std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes = 1u << 30,
                      std::uintmax_t begin = 0);

// As read_file, but nothing where there is no such file, or no longer: over a network it may go
// while it is read.
std::optional<std::string> read_if_there(const std::filesystem::path& path,
                                         std::size_t limit_bytes = 1u << 30,
                                         std::uintmax_t begin = 0);

// Whether there is something of this name. Throws Error when that cannot be found out.
bool is_there(const std::filesystem::path& path);

// The names in a folder, in no order; none where there is no such folder. Throws Error when it
// cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);

// As read_file, of whatever can be read to its end: pipes too.
std::string read_stream(const std::filesystem::path& path, std::size_t limit_bytes = 1u << 30);

// All of standard input.
std::string read_stdin();

// Writes to a temporary name beside `path` and renames it, so that a reader never sees half a file.
// Links are followed and stay. Devices and pipes are written to as they are.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// A file that is written in pieces, under a temporary name beside `path` until rename() puts it
// there, complete and synced with its folder. Without that nothing is left of it. What fails is an
// Error.
class DraftFile {
 public:
  explicit DraftFile(std::filesystem::path path);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  void append(std::string_view bytes);
  void rename();  // in place of what was there
  bool link();    // false, and nothing changes, where other bytes are there

 private:
  void finish();
  bool link_without_links();
  bool holds_our_bytes() const;
  [[noreturn]] void abandon();

  const std::filesystem::path path_;
  const std::string name_;
  const Descriptor file_;
  bool gone_ = false;  // the draft, under its own name
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
// try at once with different bytes, on whatever machines share the folder, exactly one succeeds.
// Where the file system has no hard links, there is an empty file for a moment.
bool create_file(const std::filesystem::path& path, std::string_view bytes);

// Makes a file where nothing stands at `path`, by one operation on the folder, in place and without
// waiting for the disk: others may see it empty or in part, and a power cut may lose it. False when
// something stands there.
bool make_file(const std::filesystem::path& path, std::string_view bytes);

// Writes over the beginning of a file; false when it is not there. As make_file otherwise.
bool write_over(const std::filesystem::path& path, std::string_view bytes);

// Whether a name is that of a draft, and who writes or wrote it: a process_name().
std::optional<std::string> writer_of_draft(std::string_view name);

// What was made, renamed or removed in a folder is so after a power cut, too. File systems that
// cannot promise that for folders promise nothing.
void sync_folder(const std::filesystem::path& folder);

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
