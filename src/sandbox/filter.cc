#include "sandbox/filter.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>

#include "base/descriptor.h"
#include "base/error.h"

namespace umf {
namespace {

// What ordinary programs need to compute, to use files they can reach, and to wait.
constexpr const char* kOrdinary[] = {
    // memory
    "brk", "mmap", "mprotect", "munmap", "mremap", "madvise", "mincore", "msync", "membarrier",
    // files and descriptors
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "lseek", "open",
    "openat", "creat", "close", "close_range", "dup", "dup2", "dup3", "flock", "fsync", "fdatasync",
    "ftruncate", "truncate", "fallocate", "fadvise64", "copy_file_range", "sendfile", "stat",
    "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat",
    "faccessat2", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "readlink", "readlinkat",
    "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link",
    "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "umask", "utime", "utimes",
    "utimensat", "futimesat", "pipe", "pipe2",
    // waiting
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl",
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "timerfd_create",
    "timerfd_settime", "timerfd_gettime", "nanosleep", "clock_nanosleep", "pause", "futex",
    "futex_waitv", "restart_syscall",
    // time and chance
    "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrandom", "alarm",
    "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime", "timer_delete",
    "timer_getoverrun",
    // oneself
    "getpid", "getppid", "gettid", "getpgid", "getpgrp", "getsid", "setsid", "setpgid", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "uname", "sysinfo",
    "getrusage", "getrlimit", "setrlimit", "getpriority", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min", "getcpu",
    "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "arch_prctl", "sigaltstack",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend",
    "rt_sigtimedwait", "signalfd", "signalfd4",
    // ending, and other programs
    "exit", "exit_group", "execve", "execveat", "wait4", "waitid",
    // talking over a descriptor that is there
    "sendto", "recvfrom", "getsockopt", "getsockname", "getpeername", "shutdown"};

constexpr const char* kSignals[] = {"kill", "tkill", "tgkill", "rt_sigqueueinfo",
                                    "rt_tgsigqueueinfo"};
constexpr const char* kPassing[] = {"sendmsg", "recvmsg"};

// Copying a file asks for these and goes on when there are none.
constexpr const char* kAttributes[] = {"listxattr", "llistxattr", "flistxattr",
                                       "getxattr",  "lgetxattr",  "fgetxattr",
                                       "setxattr",  "lsetxattr",  "fsetxattr"};

constexpr scmp_datum_t kIoctls[] = {TCGETS,  TIOCGWINSZ, FIONREAD, FIONBIO,
                                    FIOCLEX, FIONCLEX,   TIOCGPGRP};
constexpr scmp_datum_t kPrctls[] = {PR_SET_NAME,         PR_GET_NAME,         PR_GET_DUMPABLE,
                                    PR_GET_NO_NEW_PRIVS, PR_SET_NO_NEW_PRIVS, PR_GET_SECCOMP};
// Not F_SETOWN and its kind: they make a descriptor send any signal to anybody of the same user.
constexpr scmp_datum_t kFcntls[] = {F_DUPFD,  F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,
                                    F_GETFL,  F_SETFL,         F_GETLK,      F_SETLK,
                                    F_SETLKW, F_OFD_GETLK,     F_OFD_SETLK,  F_OFD_SETLKW,
                                    F_GETOWN, F_GETPIPE_SZ,    F_SETPIPE_SZ, F_GET_SEALS};
constexpr unsigned kNamespaces = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                 CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP | CLONE_PTRACE;

class FilterBuilder {
 public:
  FilterBuilder() : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), seccomp_release) {
    if (!context_) throw Error("libseccomp cannot make a filter");
    // A search tree instead of a long chain of comparisons.
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  }

  void allow(std::span<const char* const> names) {
    for (const char* name : names) add(SCMP_ACT_ALLOW, number(name), {});
  }
  void allow(const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
    add(SCMP_ACT_ALLOW, number(name), conditions);
  }
  void refuse(const char* name, int error) { add(SCMP_ACT_ERRNO(error), number(name), {}); }

  std::string program() const {
    const Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file || seccomp_export_bpf(context_.get(), file.get()) != 0)
      throw Error("libseccomp cannot write its filter");
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (::pread(file.get(), bytes.data(), bytes.size(), 0) != size)
      throw Error("libseccomp's filter cannot be read back");
    return bytes;
  }

 private:
  static int number(const char* name) { return seccomp_syscall_resolve_name(name); }

  void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions) {
    if (call < 0) return;  // not on this architecture
    const int failure =
        seccomp_rule_add_array(context_.get(), action, call,
                               static_cast<unsigned>(conditions.size()), std::data(conditions));
    if (failure != 0)
      throw Error(fmt::format("libseccomp refuses a rule: {}", std::strerror(-failure)));
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

}  // namespace

std::string filter_program(FilterKind kind) {
  const bool tests = kind == FilterKind::kTester || kind == FilterKind::kLoneTester;
  FilterBuilder filter;
  filter.allow(kOrdinary);
  for (const scmp_datum_t what : kFcntls) filter.allow("fcntl", {SCMP_A1(SCMP_CMP_EQ, what)});
  for (const scmp_datum_t request : kIoctls) filter.allow("ioctl", {SCMP_A1(SCMP_CMP_EQ, request)});
  for (const scmp_datum_t what : kPrctls) filter.allow("prctl", {SCMP_A0(SCMP_CMP_EQ, what)});
  filter.allow("prlimit64", {SCMP_A0(SCMP_CMP_EQ, 0)});  // one's own: they can only be lowered
  filter.allow("socketpair", {SCMP_A0(SCMP_CMP_EQ, AF_UNIX)});
  filter.refuse("socket", EACCES);
  // Does nothing, as on an idle machine: what waits for a processor has not left it by itself,
  // which KeptWaiting relies on. So it does on there being no calls for priorities and processors.
  filter.refuse("sched_yield", 0);
  for (const char* name : kAttributes) filter.refuse(name, ENOTSUP);
  if (tests) filter.allow(kPassing);
  if (kind == FilterKind::kLoneTester || kind == FilterKind::kLoneCandidate) {
    // Threads only.
    filter.allow("clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | kNamespaces, CLONE_THREAD)});
  } else {
    filter.allow(kSignals);
    filter.allow("clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, kNamespaces, 0)});
    filter.allow("vfork", {});
    filter.allow("fork", {});
  }
  return filter.program();
}

}  // namespace umf
