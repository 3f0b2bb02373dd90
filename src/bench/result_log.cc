#include "bench/result_log.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

constexpr std::string_view kExtension = ".jsonl";

[[noreturn]] void cannot(const char* what, const std::filesystem::path& path) {
  throw Error(fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(errno)));
}

}  // namespace

ResultWriter::ResultWriter(std::filesystem::path file) : path_(std::move(file)) {}

// A line that others see stays there after a power cut only where its file does.
void ResultWriter::open() {
  Descriptor opened = open_regular(path_, O_WRONLY | O_CREAT | O_APPEND, "write");
  sync_folder(path_.parent_path());
  file_ = std::move(opened);
}

void ResultWriter::append(const Result& result) {
  const std::string line = result_line(result);
  const std::lock_guard lock(mutex_);
  if (!file_) open();
  const off_t before = ::lseek(file_.get(), 0, SEEK_END);
  ssize_t put = 0;
  do {
    put = ::write(file_.get(), line.data(), line.size());
  } while (put < 0 && errno == EINTR);
  if (put == static_cast<ssize_t>(line.size()) && ::fdatasync(file_.get()) == 0) return;
  if (put >= 0 && put < static_cast<ssize_t>(line.size())) errno = ENOSPC;
  const int reason = errno;
  // A line after a torn one would be damage.
  if (before >= 0) static_cast<void>(!::ftruncate(file_.get(), before));
  errno = reason;
  cannot("write", path_);
}

void ResultIndex::refresh(const HasLeft& has_left) {
  ++operations_;
  for (const std::string& name : names_in(folder_)) {
    if (!name.ends_with(kExtension) || files_[name].sealed) continue;
    // First whether it left, then what it wrote: not the other way round.
    const bool left = has_left && has_left(name.substr(0, name.size() - kExtension.size()));
    look(name, left ? Look::kOpen : Look::kWhereGrown);
    files_[name].sealed = left && files_[name].bad.empty();
  }
}

void ResultIndex::refresh_of(const std::set<std::string>& workers) {
  for (const std::string& worker : workers)
    look(worker + std::string(kExtension), Look::kWhereGrown);
}

void ResultIndex::refresh_known(const std::set<std::string>& workers) {
  for (const std::string& worker : workers) {
    const std::string name = worker + std::string(kExtension);
    if (files_.contains(name)) look(name, Look::kWhereGrown);
  }
}

void ResultIndex::refresh_all() {
  ++operations_;
  for (const std::string& name : names_in(folder_)) {
    if (name.ends_with(kExtension)) look(name, Look::kOpen);
  }
}

void ResultIndex::look(const std::string& name, Look how) {
  const std::filesystem::path path = folder_ / name;
  File& file = files_[name];
  if (how == Look::kWhereGrown && !file.grew) {
    ++operations_;
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
      if (!is_there(path)) return;
      cannot("read", path);
    }
    const auto size = static_cast<std::uintmax_t>(info.st_size);
    if (size == file.size && file.bad.empty()) return;
    file.size = size;
    // Somebody has edited it: what is gone was known, and what is new is read.
    if (size < file.read_up_to) file = {.size = size};
  }
  ++operations_;
  const auto before = file.read_up_to;
  read(name, file);
  file.grew = file.read_up_to > before;
}

void ResultIndex::read(const std::string& name, File& file) {
  retry(name, file);
  const auto text = read_if_there(folder_ / name, SIZE_MAX, file.read_up_to);
  if (!text) return;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text->find('\n', begin);
    if (end == std::string::npos) return;
    take(name, file, text->substr(begin, end - begin), file.read_up_to);
    file.read_up_to += end + 1 - begin;
    bytes_read_ += end + 1 - begin;
    file.unsynced = true;
    begin = end + 1;
  }
}

// Lines in a stretch that could not be read: there may be several, now that it can.
void ResultIndex::retry(const std::string& name, File& file) {
  for (const auto& [begin, bad] : std::exchange(file.bad, {})) {
    auto text = read_if_there(folder_ / name, SIZE_MAX, begin).value_or("");
    text.resize(std::min<std::size_t>(text.size(), bad.first - begin));
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      take(name, file, text.substr(at, end - at), begin + at);
    }
  }
}

void ResultIndex::take(const std::string& name, File& file, const std::string& line,
                       std::uintmax_t begin) {
  const std::string where = fmt::format("'{}' at byte {}", (folder_ / name).string(), begin);
  std::optional<Result> result;
  try {
    result = parse_result(line, where, known_.seeds);
  } catch (const Error& reason) {
    if (bad_lines_ == BadLines::kAreErrors) throw;
    file.bad[begin] = {begin + line.size() + 1, reason.what()};
    return;
  }
  known_.require_own(result->key.id, result->key.configuration, result->made_for, where);
  add(*std::move(result));
}

void ResultIndex::sync() {
  for (auto& [name, file] : files_) {
    if (!std::exchange(file.unsynced, false)) continue;
    const Descriptor opened(::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC));
    // Where the disk cannot be asked, its owner has done so.
    if (opened) static_cast<void>(!::fdatasync(opened.get()));
  }
}

std::vector<std::string> ResultIndex::warnings() const {
  std::vector<std::string> list;
  for (const auto& [name, file] : files_) {
    for (const auto& [begin, bad] : file.bad) list.push_back(bad.second);
  }
  return list;
}

void ResultIndex::add(Result result) {
  const auto [at, fresh] = results_.try_emplace(result.key, result);
  if (!fresh) {
    const Result& known = at->second;
    if (known.settled() || (!result.settled() && result.tries < known.tries)) return;
    at->second = std::move(result);
  }
  settled_ += at->second.settled();
  if (changed_) changed_(at->first);
}

const Result* ResultIndex::find(const ResultKey& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

}  // namespace umf
