#include "base/files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace umf {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const char* what, const fs::path& path) {
  throw Error(fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(errno)));
}

struct stat information(const Descriptor& file, const char* what, const fs::path& path) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail(what, path);
  return info;
}

std::string read_all(int fd, const fs::path& path, std::size_t limit_bytes) {
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

Descriptor open_regular(const fs::path& path, int flags, const char* purpose) {
  // Not waiting for the other end of a pipe; for regular files it makes no difference.
  Descriptor file(::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644));
  if (file.get() < 0) fail(purpose, path);
  if (!S_ISREG(information(file, purpose, path).st_mode))
    throw Error(fmt::format("cannot {} '{}': it is not a regular file", purpose, path.string()));
  return file;
}

std::string read_file(const fs::path& path, std::size_t limit_bytes, std::uintmax_t begin) {
  const Descriptor file = open_regular(path, O_RDONLY, "read");
  if (begin > 0 && ::lseek(file.get(), static_cast<off_t>(begin), SEEK_SET) < 0) fail("read", path);
  return read_all(file.get(), path, limit_bytes);
}

std::string read_stream(const fs::path& path, std::size_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("read", path);
  return read_all(file.get(), path, limit_bytes);
}

std::string read_stdin() { return read_all(STDIN_FILENO, "standard input", 1u << 30); }

namespace {

// False, with errno, when it did not go.
bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

DraftFile::DraftFile(fs::path path)
    : path_(std::move(path)),
      name_(path_.string() + ".tmp-XXXXXX"),
      file_(::mkstemp(name_.data())) {
  if (file_.get() < 0) fail("write", path_);
}

DraftFile::~DraftFile() { ::unlink(name_.c_str()); }

void DraftFile::append(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) abandon();
}

void DraftFile::finish() {
  if (::fchmod(file_.get(), 0644) != 0 || ::fsync(file_.get()) != 0) abandon();
}

void DraftFile::rename() {
  finish();
  if (::rename(name_.c_str(), path_.c_str()) != 0) abandon();
}

bool DraftFile::link() {
  finish();
  if (::link(name_.c_str(), path_.c_str()) == 0) return true;
  const int reason = errno;
  // Over a network the answer may have been lost and the request repeated.
  struct stat info {};
  if (::fstat(file_.get(), &info) == 0 && info.st_nlink == 2) return true;
  errno = reason;
  if (reason != EEXIST) abandon();
  return false;
}

void DraftFile::abandon() {
  const int reason = errno;
  ::unlink(name_.c_str());
  errno = reason;
  fail("write", path_);
}

namespace {

constexpr int kMostLinks = 40;  // as the kernel has it

// Where a link leads, also where nothing is there yet.
fs::path followed(fs::path path) {
  std::error_code no_link;
  for (int i = 0; i < kMostLinks; ++i) {
    const fs::path target = fs::read_symlink(path, no_link);
    if (no_link) break;
    path = path.parent_path() / target;  // an absolute one stands for itself
  }
  return path;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Where bytes for `path` go as they are; -1 for a regular file or none, which is replaced. What we
// print goes to a descriptor that is open already, whatever its name: a file put in its place would
// be another one.
Descriptor open_stream(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return Descriptor();
    fail("write", path);
  }
  for (const int printed : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open {};
    if (::fstat(printed, &open) == 0 && is_same_file(info, open))
      return Descriptor(::fcntl(printed, F_DUPFD_CLOEXEC, 0));
  }
  if (S_ISREG(info.st_mode)) return Descriptor();
  // Not waiting for a reader: where there is none, that is an error.
  Descriptor stream(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (stream.get() < 0 && errno == ENXIO && S_ISFIFO(info.st_mode))
    throw Error(fmt::format("cannot write '{}': nobody reads this pipe", path.string()));
  if (stream.get() < 0) fail("write", path);
  ::fcntl(stream.get(), F_SETFL, ::fcntl(stream.get(), F_GETFL) & ~O_NONBLOCK);
  return stream;
}

void write_to(const Descriptor& stream, const fs::path& path, std::string_view bytes) {
  if (!stream) {
    DraftFile draft(followed(path));
    draft.append(bytes);
    return draft.rename();
  }
  // A reader that has left is an error to report and no reason to die.
  static const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(ignored);
  std::fflush(nullptr);  // what was printed before comes first
  if (!write_all(stream.get(), bytes)) fail("write", path);
}

}  // namespace

void write_file(const fs::path& path, std::string_view bytes) {
  write_to(open_stream(path), path, bytes);
}

OutputFile::OutputFile(fs::path path) : path_(std::move(path)), stream_(open_stream(path_)) {
  if (!stream_) DraftFile{followed(path_)};  // and away with it
}

void OutputFile::write(std::string_view bytes) const { write_to(stream_, path_, bytes); }

bool create_file(const fs::path& path, std::string_view bytes) {
  DraftFile draft(path);
  draft.append(bytes);
  return draft.link();
}

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file = open_regular(path, O_RDONLY, "open");
  size_ = static_cast<std::size_t>(information(file, "open", path).st_size);
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
