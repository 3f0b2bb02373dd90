#include "sandbox/launch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "base/files.h"
#include "sandbox/channel.h"
#include "sandbox/landlock.h"
#include "sandbox/root.h"
#include "sandbox/user_map.h"

namespace umf {
namespace {

constexpr std::uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
                                      CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
constexpr int kFirstFree = 100;  // descriptors are moved up here before they take their places
constexpr int kPowersOfKeeper[] = {CAP_SETUID, CAP_SETGID, CAP_KILL};  // without namespaces
constexpr rlim_t kStackBytes = 8 << 20;

// What the child says when a step fails; it says nothing when the program has started.
struct Refusal {
  int number;
  char step[124];
};

// The child may share its parent's memory image in the middle of anything another thread did, so
// between clone and exec it only makes system calls on what was prepared before.
class Child {
 public:
  Child(const LaunchOrder& order, const RootPlan& root, int ruleset, int go, int complaints)
      : order_(order),
        root_(root),
        ruleset_(ruleset),
        go_(go),
        complaints_(complaints),
        multiple_users_(multiple_users()) {
    for (const std::string& word : order.argv) argv_.push_back(const_cast<char*>(word.c_str()));
    for (const std::string& word : order.environment)
      environment_.push_back(const_cast<char*>(word.c_str()));
    argv_.push_back(nullptr);
    environment_.push_back(nullptr);
  }

  [[noreturn]] void run() const {
    char byte;
    if (::read(go_, &byte, 1) != 1) ::_exit(1);  // the parent gave up
    reset_signals();
    if (order_.walls == Walls::kNamespaces) enter_namespaces();
    if (order_.walls == Walls::kLandlock) enter_landlock();
    check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
    const rlimit none = {0, 0};
    check(::setrlimit(RLIMIT_CORE, &none), "setrlimit");
    // The usual stack, whatever ours is: threads take their size from it.
    rlimit stack;
    check(::getrlimit(RLIMIT_STACK, &stack), "getrlimit");
    stack.rlim_cur = std::min<rlim_t>(stack.rlim_max, kStackBytes);
    check(::setrlimit(RLIMIT_STACK, &stack), "setrlimit");
    check(::setsid() < 0 ? -1 : 0, "setsid");
    arrange_descriptors();
    ::execve(argv_[0], argv_.data(), environment_.data());
    fail("start the interpreter");
  }

 private:
  void enter_namespaces() const {
    if (multiple_users())
      check(static_cast<int>(::syscall(SYS_setgroups, 0, nullptr)), "setgroups");
    check(static_cast<int>(::syscall(SYS_setresgid, 0, 0, 0)), "setresgid");
    check(static_cast<int>(::syscall(SYS_setresuid, 0, 0, 0)), "setresuid");
    const char* step = root_.build();
    if (step != nullptr) fail(step);
    check(::sethostname("sandbox", 7), "sethostname");
  }

  void enter_landlock() const {
    // Root of a container that has no other user keeps its name but none of its powers.
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct powers[_LINUX_CAPABILITY_U32S_3] = {};
    if (multiple_users_) {
      const Owner keeper = keeper_outside();
      check(static_cast<int>(::syscall(SYS_setgroups, 0, nullptr)), "setgroups");
      check(::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps");
      check(static_cast<int>(::syscall(SYS_setresgid, keeper.group, keeper.group, keeper.group)),
            "setresgid");
      check(static_cast<int>(::syscall(SYS_setresuid, keeper.user, keeper.user, keeper.user)),
            "setresuid");
      // Until a job runs: to give it users of its own, and to end it.
      for (const int power : kPowersOfKeeper) powers[0].permitted |= 1u << power;
      powers[0].effective = powers[0].inheritable = powers[0].permitted;
    }
    check(static_cast<int>(::syscall(SYS_capset, &header, powers)), "capset");
    for (const int power : kPowersOfKeeper) {
      if (multiple_users_)
        check(::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, power, 0, 0), "ambient capabilities");
    }
    check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
    check(restrict_with_landlock(ruleset_), "landlock_restrict_self");
    check(::chdir("/"), "chdir");
  }

  void reset_signals() const {
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    for (int number = 1; number < 65; ++number) ::sigaction(number, &plain, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  void arrange_descriptors() const {
    const int count = static_cast<int>(order_.descriptors.size());
    check(::fcntl(complaints_, F_DUPFD_CLOEXEC, kFirstFree + count) < 0 ? -1 : 0, "descriptors");
    for (int i = 0; i < count; ++i)
      check(::dup3(order_.descriptors[i], kFirstFree + i, O_CLOEXEC), "descriptors");
    for (int i = 0; i < count; ++i) check(::dup2(kFirstFree + i, i), "descriptors");
    // The complaint pipe stays until exec; it closes itself there.
    ::syscall(SYS_close_range, count, kFirstFree - 1, 0);
    ::syscall(SYS_close_range, kFirstFree, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
  }

  void check(int result, const char* step) const {
    if (result < 0) fail(step);
  }

  [[noreturn]] void fail(const char* step) const {
    Refusal refusal = {errno, {}};
    std::strncpy(refusal.step, step, sizeof refusal.step - 1);
    static_cast<void>(!::write(complaints_, &refusal, sizeof refusal));
    static_cast<void>(!::write(kFirstFree + static_cast<int>(order_.descriptors.size()), &refusal,
                               sizeof refusal));
    ::_exit(1);
  }

  const LaunchOrder& order_;
  const RootPlan& root_;
  int ruleset_, go_, complaints_;
  bool multiple_users_;
  std::vector<char*> argv_, environment_;
};

// The parent's side of fork(), with namespaces and a handle. All signals are blocked meanwhile: a
// handler of the parent must not run in the child.
int clone_process(std::uint64_t namespaces, int& handle) {
  clone_args arguments = {};
  arguments.flags = namespaces | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uintptr_t>(&handle);
  arguments.exit_signal = SIGCHLD;
  return static_cast<int>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

void end(const Launched& process) {
  ::syscall(SYS_pidfd_send_signal, process.handle.get(), SIGKILL, nullptr, 0);
  ::waitpid(process.pid, nullptr, 0);
}

}  // namespace

Launched launch(const LaunchOrder& order) {
  const bool namespaces = order.walls == Walls::kNamespaces;
  const RootPlan root = namespaces ? RootPlan::of_this_machine() : RootPlan();
  const Descriptor ruleset =
      order.walls == Walls::kLandlock ? make_landlock_ruleset(order.readable) : Descriptor();
  DescriptorPair go = make_socket_pair(SOCK_STREAM), complaints = make_socket_pair(SOCK_STREAM);
  const Child child(order, root, ruleset.get(), go.theirs.get(), complaints.theirs.get());

  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int handle = -1;
  const int pid = clone_process(namespaces ? kNamespaces : 0, handle);
  if (pid == 0) child.run();
  const int problem = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0)
    throw Error(fmt::format("the system refuses new namespaces: {}", std::strerror(problem)));

  Launched launched{pid, Descriptor(handle)};
  go.theirs.reset();
  complaints.theirs.reset();
  try {
    if (namespaces) write_user_maps(pid);
  } catch (const Error&) {
    end(launched);
    throw;
  }
  static_cast<void>(!::send(go.ours.get(), "g", 1, MSG_NOSIGNAL));
  Refusal refusal = {};
  ssize_t got;
  do got = ::read(complaints.ours.get(), &refusal, sizeof refusal);
  while (got < 0 && errno == EINTR);
  if (got == 0) return launched;
  end(launched);
  refusal.step[sizeof refusal.step - 1] = '\0';
  throw Error(fmt::format("the system refuses a step of the sandbox ({}): {}", refusal.step,
                          std::strerror(refusal.number)));
}

std::string objection_to(Walls walls) {
  if (walls == Walls::kNone) return "";
  try {
    const Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const int null = nowhere.get();
    const Launched trial = launch({walls, {"/bin/true"}, {}, {null, null, null}, ""});
    int status = 0;
    ::waitpid(trial.pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "/bin/true does not run inside it";
  } catch (const Error& refusal) {
    return refusal.what();
  }
}

}  // namespace umf
