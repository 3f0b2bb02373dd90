#include "file_faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

namespace umf::faults {
namespace {

namespace fs = std::filesystem;

struct Faults {
  std::recursive_mutex mutex;
  std::atomic<bool> any = false;
  bool quiet = false;  // these are our own calls
  long left = 0;       // operations until the end; 0: none is near
  std::function<void()> last_words;
  std::string refused_call, refused_part;
  int refused_with = 0;
  std::string root;
  // What the disk has: bytes of files by inode, and names of folders by path.
  std::map<ino_t, std::string> bytes;
  std::map<std::string, std::map<std::string, ino_t>> folders;
};

// Lives longer than everything that closes files.
Faults& faults() {
  static auto* all = new Faults;
  return *all;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

// Before an operation that changes something.
void step() {
  Faults& f = faults();
  if (!f.any || !is_main_thread()) return;
  const std::lock_guard lock(f.mutex);
  if (f.quiet || f.left == 0 || --f.left > 0) return;
  f.quiet = true;
  if (f.last_words) f.last_words();
  ::_exit(9);
}

// Whether to refuse it, with errno.
bool refused(const char* call, const char* path) {
  Faults& f = faults();
  if (!f.any) return false;
  const std::lock_guard lock(f.mutex);
  if (f.quiet || f.refused_with == 0 || f.refused_call != call ||
      std::strstr(path, f.refused_part.c_str()) == nullptr)
    return false;
  errno = f.refused_with;
  return true;
}

std::string path_of(int fd) {
  std::error_code none;
  return fs::read_symlink(fmt::format("/proc/self/fd/{}", fd), none).string();
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

thread_local Cache* cache = nullptr;

// Nothing where this thread sees files as they are.
Cache::Seen* seen(const char* path) {
  if (cache == nullptr || std::strncmp(path, "/proc", 5) == 0) return nullptr;
  const auto [at, first] = cache->seen.try_emplace(path);
  Cache::Seen& known = at->second;
  const double now = cache->clock();
  if (!first && now - known.at < cache->seconds) return &known;
  static const auto look = real<int(const char*, struct stat*)>("stat");
  known.at = now;
  known.error = look(path, &known.info) == 0 ? 0 : errno;
  known.bytes = known.error == 0 && S_ISREG(known.info.st_mode) ? contents(path) : "";
  return &known;
}

void forget(const std::string& path) {
  if (cache != nullptr) cache->seen.erase(path);
}

int open_bytes(const std::string& bytes) {
  const int fd = ::memfd_create("cached", MFD_CLOEXEC);
  static const auto put = real<ssize_t(int, const void*, size_t)>("write");
  static_cast<void>(!put(fd, bytes.data(), bytes.size()));
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

std::map<std::string, ino_t> names_of(const fs::path& folder) {
  std::map<std::string, ino_t> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) == 0) names[entry.path().filename()] = info.st_ino;
  }
  return names;
}

void note_sync(int fd) {
  Faults& f = faults();
  if (!f.any) return;
  const std::lock_guard lock(f.mutex);
  struct stat info {};
  const std::string path = path_of(fd);
  if (f.root.empty() || !path.starts_with(f.root) || ::fstat(fd, &info) != 0) return;
  if (S_ISDIR(info.st_mode))
    f.folders[path] = names_of(path);
  else
    f.bytes[info.st_ino] = contents(fmt::format("/proc/self/fd/{}", fd));
}

// A new file may have the inode of one that is gone.
void note_new(int fd) {
  Faults& f = faults();
  const std::lock_guard lock(f.mutex);
  struct stat info {};
  if (!f.root.empty() && ::fstat(fd, &info) == 0 && info.st_size == 0) f.bytes.erase(info.st_ino);
}

void copy_from_disk(const std::string& folder, const fs::path& copy) {
  Faults& f = faults();
  fs::create_directories(copy);
  for (const auto& [name, inode] : f.folders[folder]) {
    const std::string path = folder + "/" + name;
    struct stat info {};
    const bool is_folder =
        f.folders.contains(path) || (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode));
    if (is_folder) {
      copy_from_disk(path, copy / name);
    } else {
      std::ofstream(copy / name, std::ios::binary) << f.bytes[inode];
    }
  }
}

}  // namespace

void die_before(long operation, std::function<void()> last_words) {
  Faults& f = faults();
  f.left = operation;
  f.last_words = std::move(last_words);
  f.any = true;
}

void refuse(const std::string& call, const std::string& part, int error) {
  Faults& f = faults();
  f.refused_call = call;
  f.refused_part = part;
  f.refused_with = error;
  f.any = true;
}

void refuse_nothing() { faults().refused_with = 0; }

Through::Through(Cache& through) { cache = &through; }
Through::~Through() { cache = nullptr; }

void watch_disk(const fs::path& root) {
  Faults& f = faults();
  f.root = root;
  f.folders[root] = names_of(root);
  f.any = true;
}

void power_cut(const fs::path& copy) { copy_from_disk(faults().root, copy); }

}  // namespace umf::faults

// In place of the C library's.
// NOLINTBEGIN
using namespace umf::faults;

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    va_end(list);
  }
  if (refused("open", path)) return -1;
  if ((flags & O_CREAT) != 0) step();
  if ((flags & (O_ACCMODE | O_DIRECTORY)) != O_RDONLY) {
    forget(path);
  } else if (const Cache::Seen* known = seen(path)) {
    if (known->error == 0) return open_bytes(known->bytes);
    errno = known->error;
    return -1;
  }
  static const auto next = real<int(const char*, int, ...)>("open");
  const int fd = next(path, flags, mode);
  if (fd >= 0 && (flags & O_CREAT) != 0 && faults().any) note_new(fd);
  return fd;
}

ssize_t write(int fd, const void* bytes, size_t size) {
  static const auto next = real<ssize_t(int, const void*, size_t)>("write");
  if (faults().any && fd > 2) {
    if (refused("write", path_of(fd).c_str())) return -1;
    step();
  }
  if (cache != nullptr) forget(path_of(fd));
  return next(fd, bytes, size);
}

// The real disk is not asked: what it would have is noted.
int fsync(int fd) {
  step();
  note_sync(fd);
  return 0;
}

int fdatasync(int fd) { return fsync(fd); }

int rename(const char* from, const char* to) noexcept {
  static const auto next = real<int(const char*, const char*)>("rename");
  if (refused("rename", to)) return -1;
  step();
  forget(to);
  return next(from, to);
}

int link(const char* from, const char* to) noexcept {
  static const auto next = real<int(const char*, const char*)>("link");
  if (refused("link", to)) return -1;
  step();
  forget(to);
  return next(from, to);
}

int unlink(const char* path) noexcept {
  static const auto next = real<int(const char*)>("unlink");
  step();
  forget(path);
  return next(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto next = real<int(const char*, mode_t)>("mkdir");
  step();
  return next(path, mode);
}

int stat(const char* path, struct stat* info) noexcept {
  static const auto next = real<int(const char*, struct stat*)>("stat");
  const Cache::Seen* known = seen(path);
  if (known == nullptr) return next(path, info);
  *info = known->info;
  errno = known->error;
  return known->error == 0 ? 0 : -1;
}
}
// NOLINTEND
