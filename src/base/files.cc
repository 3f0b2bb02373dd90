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
#include <mutex>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/process_name.h"

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

// False, with errno, when it cannot be read.
bool read_into(std::string& bytes, int fd, const fs::path& path, std::size_t limit_bytes) {
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    bytes.append(chunk, static_cast<std::size_t>(got));
    if (bytes.size() > limit_bytes) {
      throw Error(fmt::format("'{}' is larger than {} bytes", path.string(), limit_bytes));
    }
  }
}

std::string read_all(int fd, const fs::path& path, std::size_t limit_bytes) {
  std::string bytes;
  if (!read_into(bytes, fd, path, limit_bytes)) fail("read", path);
  return bytes;
}

Descriptor opened(const fs::path& path, int flags) {
  // Not waiting for the other end of a pipe; for regular files it makes no difference.
  return Descriptor(::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
}

void require_regular(const Descriptor& file, const fs::path& path, const char* purpose) {
  if (!S_ISREG(information(file, purpose, path).st_mode))
    throw Error(fmt::format("cannot {} '{}': it is not a regular file", purpose, path.string()));
}

bool seek(const Descriptor& file, std::uintmax_t begin) {
  return begin == 0 || ::lseek(file.get(), static_cast<off_t>(begin), SEEK_SET) >= 0;
}

}  // namespace

Descriptor open_regular(const fs::path& path, int flags, const char* purpose) {
  Descriptor file = opened(path, flags);
  if (!file) fail(purpose, path);
  require_regular(file, path, purpose);
  return file;
}

std::string read_file(const fs::path& path, std::size_t limit_bytes, std::uintmax_t begin) {
  const Descriptor file = open_regular(path, O_RDONLY, "read");
  if (!seek(file, begin)) fail("read", path);
  return read_all(file.get(), path, limit_bytes);
}

namespace {

// Of a name: there is nothing, or was when the server was asked.
bool means_absent(int reason) { return reason == ENOENT || reason == ENOTDIR || reason == ESTALE; }

constexpr int kTriesWhenStale = 3;  // another file of the same name may have come

}  // namespace

std::optional<std::string> read_if_there(const fs::path& path, std::size_t limit_bytes,
                                         std::uintmax_t begin) {
  for (int i = 0; i < kTriesWhenStale; ++i) {
    std::string bytes;
    const Descriptor file = opened(path, O_RDONLY);
    if (file) {
      require_regular(file, path, "read");
      if (seek(file, begin) && read_into(bytes, file.get(), path, limit_bytes)) return bytes;
    }
    if (!means_absent(errno)) fail("read", path);
    if (errno != ESTALE) return std::nullopt;
  }
  return std::nullopt;
}

bool is_there(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return true;
  if (means_absent(errno)) return false;
  fail("read", path);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure))
    names.push_back(entry->path().filename());
  if (!failure || means_absent(failure.value())) return names;
  errno = failure.value();
  fail("read", folder);
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

namespace {

constexpr const char* kDraft = ".tmp-";
constexpr int kRandomDigits = 8;

std::string draft_name(const fs::path& path) {
  static std::random_device random;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return fmt::format("{}{}{}-{:08x}", path.string(), kDraft, process_name(), random());
}

// With the mode that the user's umask leaves.
Descriptor open_new(const std::string& name) {
  return Descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::optional<std::string> writer_of_draft(std::string_view name) {
  const std::size_t mark = name.rfind(kDraft);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view writer = name.substr(mark + std::strlen(kDraft));
  if (writer.size() <= kRandomDigits + 1) return "";
  return std::string(writer.substr(0, writer.size() - kRandomDigits - 1));
}

void sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0 || ::fsync(opened.get()) == 0) return;
  if (errno == EIO || errno == ENOSPC || errno == EDQUOT) fail("write", folder);
}

DraftFile::DraftFile(fs::path path)
    : path_(std::move(path)), name_(draft_name(path_)), file_(open_new(name_)) {
  if (file_.get() < 0) fail("write", path_);
}

DraftFile::~DraftFile() {
  if (!gone_) ::unlink(name_.c_str());
}

void DraftFile::append(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) abandon();
}

void DraftFile::finish() {
  if (::fsync(file_.get()) != 0) abandon();
}

void DraftFile::rename() {
  finish();
  if (::rename(name_.c_str(), path_.c_str()) != 0) abandon();
  gone_ = true;
  sync_folder(folder_of(path_));
}

bool DraftFile::link() {
  finish();
  bool linked = ::link(name_.c_str(), path_.c_str()) == 0;
  if (!linked && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK))
    return link_without_links();
  // Over a network the answer may have been lost and the request repeated: then it is ours.
  const int reason = errno;
  linked = linked || holds_our_bytes();
  errno = reason;
  if (!linked && reason != EEXIST) abandon();
  if (linked) sync_folder(folder_of(path_));
  return linked;
}

// Who makes the empty file puts its own in its place.
bool DraftFile::link_without_links() {
  if (!open_new(path_)) {
    if (errno != EEXIST) abandon();
    return holds_our_bytes();
  }
  if (::rename(name_.c_str(), path_.c_str()) != 0) abandon();
  gone_ = true;
  sync_folder(folder_of(path_));
  return true;
}

bool DraftFile::holds_our_bytes() const {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return false;
  const auto size = static_cast<std::size_t>(info.st_size);
  try {
    const auto there = read_if_there(path_, size);
    return there && *there == read_if_there(name_, size);
  } catch (const Error&) {
    return false;  // longer, or not to be read
  }
}

void DraftFile::abandon() {
  const int reason = errno;
  ::unlink(name_.c_str());
  gone_ = true;
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

namespace {

// Closes it, too: over a network that is when others are told, and when it may fail.
void write_and_close(Descriptor file, const fs::path& path, std::string_view bytes) {
  const bool written = write_all(file.get(), bytes);
  const int reason = errno;
  const bool closed = ::close(file.release()) == 0;
  if (!written) errno = reason;
  if (!written || !closed) fail("write", path);
}

}  // namespace

bool make_file(const fs::path& path, std::string_view bytes) {
  Descriptor file = open_new(path);
  if (!file && errno == EEXIST) return false;
  if (!file) fail("write", path);
  try {
    write_and_close(std::move(file), path, bytes);
  } catch (const Error&) {
    ::unlink(path.c_str());
    throw;
  }
  return true;
}

bool write_over(const fs::path& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file && means_absent(errno)) return false;
  if (!file) fail("write", path);
  write_and_close(std::move(file), path, bytes);
  return true;
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
