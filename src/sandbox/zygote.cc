#include "sandbox/zygote.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "sandbox/channel.h"
#include "sandbox/embedded.h"
#include "sandbox/filter.h"

namespace umf {
namespace {

constexpr int kEndMs = 2'000;
constexpr int kWarmMs = 60'000;  // imports take a second; a cold disk or a busy machine more

// The whole environment of sandboxed programs. The same hashes every time: a program whose result
// hangs on the order of a set must at least do so reproducibly.
constexpr std::pair<const char*, const char*> kEnvironment[] = {
    {"PATH", "/usr/bin:/bin"},
    {"HOME", "/tmp"},
    {"TMPDIR", "/tmp"},
    {"LANG", "C.UTF-8"},
    {"PYTHONHASHSEED", "0"},
    {"PYTHONDONTWRITEBYTECODE", "1"},
    {"OMP_NUM_THREADS", "1"},
    {"OPENBLAS_NUM_THREADS", "1"},
    // A thread's own arena takes 64 MiB of address space, which is limited.
    {"MALLOC_ARENA_MAX", "1"},
};

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kDigits[three >> (18 - 6 * j) & 63];
  }
  return text;
}

std::string setup(Walls walls) {
  const bool namespaces = walls == Walls::kNamespaces;
  Json modules = Json::object(), environment = Json::object();
  for (const auto& [name, source] : embedded_modules()) modules[std::string(name)] = source;
  for (const auto& [name, value] : kEnvironment) environment[name] = value;
  const FilterKind candidate = namespaces ? FilterKind::kCandidate : FilterKind::kLoneCandidate;
  const FilterKind tester = namespaces ? FilterKind::kTester : FilterKind::kLoneTester;
  return Json{{"modules", modules},
              {"environment", environment},
              {"namespaces", namespaces},
              {"filters",
               {{"tester", base64(filter_program(tester))},
                {"candidate", base64(filter_program(candidate))}}}}
      .dump();
}

std::string_view zygote_source() {
  for (const auto& [name, source] : embedded_modules()) {
    if (name == "zygote") return source;
  }
  throw Error("this build has no zygote.py");
}

std::string what_it_said(int errors) {
  char text[2000];
  const off_t end = ::lseek(errors, 0, SEEK_END);
  const off_t start = std::max<off_t>(0, end - static_cast<off_t>(sizeof text));
  const ssize_t got = ::pread(errors, text, sizeof text, start);
  return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
}

}  // namespace

Zygote::Zygote(Walls walls, const std::string& readable) {
  if (::access(kPython, X_OK) != 0)
    throw Error(fmt::format("the sandbox needs {}. Install python3.", kPython));
  const Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Descriptor proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Descriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  const Descriptor program = make_sealed_file("setup", setup(walls));
  DescriptorPair control = make_socket_pair(SOCK_SEQPACKET);

  LaunchOrder order;
  order.walls = walls;
  // Isolated, without site packages' hooks; not -I, which would ignore the fixed hash seed.
  order.argv = {kPython, "-s", "-S", "-B", "-c", std::string(zygote_source())};
  for (const auto& [name, value] : kEnvironment)
    order.environment.push_back(fmt::format("{}={}", name, value));
  order.descriptors = {nowhere.get(), nowhere.get(),        errors.get(),
                       program.get(), control.theirs.get(), proc.get()};
  order.readable = readable;
  process_ = launch(order);
  control_ = std::move(control.ours);
  control.theirs.reset();

  pollfd answer = {control_.get(), POLLIN, 0};
  int ready;
  do ready = ::poll(&answer, 1, kWarmMs);
  while (ready < 0 && errno == EINTR);
  char word[8];
  if (ready <= 0 || ::recv(control_.get(), word, sizeof word, 0) != 4)
    throw Error(fmt::format("the sandbox's interpreter does not start. It said: {}",
                            what_it_said(errors.get())));
}

Zygote::~Zygote() {
  if (!process_.handle) return;
  control_.reset();  // it ends and takes along what is left of its jobs
  pollfd ended = {process_.handle.get(), POLLIN, 0};
  while (::poll(&ended, 1, kEndMs) < 0 && errno == EINTR) continue;
  ::syscall(SYS_pidfd_send_signal, process_.handle.get(), SIGKILL, nullptr, 0);
  ::waitpid(process_.pid, nullptr, 0);
}

bool Zygote::fork_warden(const std::string& module, std::span<const int> descriptors) const {
  return send_descriptors(control_.get(), "job " + module, descriptors);
}

}  // namespace umf
