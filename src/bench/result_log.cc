#include "bench/result_log.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

[[noreturn]] void cannot(const char* what, const std::filesystem::path& path) {
  throw Error(fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(errno)));
}

}  // namespace

ResultWriter::ResultWriter(std::filesystem::path file) : path_(std::move(file)) {}

void ResultWriter::append(const Result& result) {
  const std::string line = result_line(result);
  const std::lock_guard lock(mutex_);
  if (!file_) file_ = open_regular(path_, O_WRONLY | O_CREAT | O_APPEND, "write");
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

void ResultIndex::refresh() {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failure)) {
    if (entry.path().extension() == ".jsonl") read(entry.path());
  }
  if (failure)
    throw Error(fmt::format("cannot read '{}': {}", folder_.string(), failure.message()));
}

void ResultIndex::read(const std::filesystem::path& file) {
  std::uintmax_t& position = read_up_to_[file.filename()];
  std::istringstream text(read_file(file, SIZE_MAX, position));
  for (std::string line; std::getline(text, line) && !text.eof();) {
    const std::string where = fmt::format("'{}' at byte {}", file.string(), position);
    Result result = parse_result(line, where, known_.seeds);
    known_.require_own(result.key.id, result.key.configuration, result.made_for, where);
    add(std::move(result));
    position += line.size() + 1;
    bytes_read_ += line.size() + 1;
  }
}

void ResultIndex::add(Result result) {
  const auto [at, fresh] = results_.try_emplace(result.key, result);
  if (!fresh && !at->second.settled() && (result.settled() || result.tries >= at->second.tries))
    at->second = std::move(result);
}

const Result* ResultIndex::find(const ResultKey& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

}  // namespace umf
