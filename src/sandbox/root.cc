#include "sandbox/root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace umf {
namespace {

// The new root is made over this folder, which every system has, and then takes the place of "/".
constexpr char kPlace[] = "/tmp";

constexpr const char* kPrograms[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"};
constexpr const char* kSettings[] = {"/etc/ld.so.cache", "/etc/localtime"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                    "/dev/urandom"};

// /usr may hold mounts of its own, so the flags go to all of them.
int make_read_only(const char* path, bool with_mounts_below) {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  return static_cast<int>(::syscall(SYS_mount_setattr, AT_FDCWD, path,
                                    with_mounts_below ? AT_RECURSIVE : 0, &attributes,
                                    sizeof attributes));
}

int write_whole_file(const char* path, const std::string& content) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return -1;
  const ssize_t put = ::write(file, content.data(), content.size());
  ::close(file);
  return put == static_cast<ssize_t>(content.size()) ? 0 : -1;
}

}  // namespace

RootPlan RootPlan::of_this_machine() {
  namespace fs = std::filesystem;
  RootPlan plan;
  std::error_code ignored;
  const auto add = [&plan](Step::Kind kind, const std::string& source, const std::string& target) {
    plan.steps_.push_back({kind, source, kPlace + target});
  };
  for (const char* folder : {"/tmp", "/dev", "/etc", "/proc", "/var"})
    add(Step::kFolder, "", folder);
  for (const char* path : kPrograms) {
    if (fs::is_symlink(path, ignored))
      add(Step::kLink, fs::read_symlink(path, ignored), path);
    else if (fs::is_directory(path, ignored))
      add(Step::kBindFolder, path, path);
  }
  for (const char* path : kSettings) {
    if (fs::exists(path, ignored)) add(Step::kBindFile, path, path);
  }
  if (fs::is_directory("/etc/alternatives", ignored))
    add(Step::kBindFolder, "/etc/alternatives", "/etc/alternatives");
  for (const char* path : kDevices) add(Step::kBindFile, path, path);
  add(Step::kFile, "nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n", "/etc/passwd");
  add(Step::kFile, "nogroup:x:65534:\n", "/etc/group");
  // Everything that may be written is in one place with one limit.
  add(Step::kLink, "/tmp", "/dev/shm");
  add(Step::kLink, "/tmp", "/var/tmp");
  return plan;
}

const char* RootPlan::perform(const Step& step) const {
  const char* const source = step.source.c_str();
  const char* const target = step.target.c_str();
  switch (step.kind) {
    case Step::kFolder:
      return ::mkdir(target, 0755) == 0 ? nullptr : "make a folder of the new root";
    case Step::kBindFolder:
      if (::mkdir(target, 0755) != 0) return "make a folder of the new root";
      if (::mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) != 0) return "bind a folder";
      return make_read_only(target, true) == 0 ? nullptr : "make a folder read-only (Linux 5.12)";
    case Step::kBindFile:
      if (write_whole_file(target, "") != 0) return "make a file of the new root";
      return ::mount(source, target, nullptr, MS_BIND, nullptr) == 0 ? nullptr : "bind a file";
    case Step::kLink:
      return ::symlink(source, target) == 0 ? nullptr : "make a link of the new root";
    case Step::kFile:
      return write_whole_file(target, step.source) == 0 ? nullptr : "write a file of the new root";
  }
  return "unknown step";
}

const char* RootPlan::build() const {
  ::umask(022);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "private mounts";
  if (::mount("tmpfs", kPlace, "tmpfs", MS_NOSUID, "size=256k,mode=0755") != 0)
    return "mount a tmpfs";
  for (const Step& step : steps_) {
    if (const char* failed = perform(step)) return failed;
  }
  if (::chdir(kPlace) != 0) return "enter the new root";
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return "pivot_root";
  if (::umount2(".", MNT_DETACH) != 0) return "leave the old root";
  if (::chdir("/") != 0) return "enter the new root";
  return make_read_only("/", false) == 0 ? nullptr : "make the root read-only";
}

}  // namespace umf
