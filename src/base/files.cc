#include "base/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace umf {
namespace {

// Closes a descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
  throw Error(fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(errno)));
}

std::size_t regular_size(const Descriptor& file, const std::filesystem::path& path) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail("read", path);
  if (!S_ISREG(info.st_mode)) {
    throw Error(fmt::format("cannot read '{}': it is not a regular file", path.string()));
  }
  return static_cast<std::size_t>(info.st_size);
}

std::string read_all(int fd, const std::filesystem::path& path, std::size_t limit_bytes) {
  std::string bytes;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(got));
    if (bytes.size() > limit_bytes) {
      throw Error(fmt::format("'{}' is larger than {} bytes", path.string(), limit_bytes));
    }
  }
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("read", path);
  return read_all(file.get(), path, limit_bytes);
}

std::string read_stdin() { return read_all(STDIN_FILENO, "standard input", 1u << 30); }

namespace {

// A file with a name of its own beside `path`, complete and synced. It is removed at the end of the
// scope unless it was renamed.
class Draft {
 public:
  Draft(const std::filesystem::path& path, std::string_view bytes)
      : path_(path), name_(path.string() + ".tmp-XXXXXX"), file_(::mkstemp(name_.data())) {
    if (file_.get() < 0) fail("write", path_);
    while (!bytes.empty()) {
      const ssize_t put = ::write(file_.get(), bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) abandon();
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fchmod(file_.get(), 0644) != 0 || ::fsync(file_.get()) != 0) abandon();
  }
  ~Draft() { ::unlink(name_.c_str()); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void rename() {
    if (::rename(name_.c_str(), path_.c_str()) != 0) abandon();
  }
  bool link() {
    if (::link(name_.c_str(), path_.c_str()) == 0) return true;
    const int reason = errno;
    // Over a network the answer may have been lost and the request repeated.
    struct stat info {};
    if (::fstat(file_.get(), &info) == 0 && info.st_nlink == 2) return true;
    errno = reason;
    if (reason != EEXIST) abandon();
    return false;
  }

 private:
  [[noreturn]] void abandon() {
    const int reason = errno;
    ::unlink(name_.c_str());
    errno = reason;
    fail("write", path_);
  }

  const std::filesystem::path& path_;
  std::string name_;
  const Descriptor file_;
};

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  Draft(path, bytes).rename();
}

bool create_file(const std::filesystem::path& path, std::string_view bytes) {
  return Draft(path, bytes).link();
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path);
  size_ = regular_size(file, path);
  if (size_ == 0) return;
  void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED) fail("map", path);
  data_ = static_cast<const std::byte*>(mapping);
  mapped_ = true;
}

MappedFile MappedFile::in_memory(std::span<const std::byte> bytes) {
  MappedFile view;
  view.data_ = bytes.data();
  view.size_ = bytes.size();
  return view;
}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release_pages() const {
  // Advice only: where it is refused, the pages stay.
  if (mapped_) ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, false)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace umf
