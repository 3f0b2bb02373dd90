#include "base/inflate.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace umf {

std::string inflate_zlib(std::string_view bytes, std::size_t limit_bytes,
                         const std::string& where) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw Error(where + ": cannot start to unpack");
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    inflateEnd(&stream);
    throw Error(where + ": too large to unpack");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() <= limit_bytes) {
    char chunk[1 << 16];
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk, sizeof chunk - stream.avail_out);
  }
  const bool whole = stream.avail_in == 0;
  inflateEnd(&stream);
  if (out.size() > limit_bytes)
    throw Error(fmt::format("{}: larger than {} bytes when unpacked", where, limit_bytes));
  if (status != Z_STREAM_END) throw Error(where + ": damaged or truncated zlib data");
  if (!whole) throw Error(where + ": bytes after the end of the zlib data");
  return out;
}

namespace {

gzFile file_of(void* file) { return static_cast<gzFile>(file); }

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(fmt::format("cannot read '{}': {}", path, reason));
}

int open_for_reading(const std::string& path) {
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, std::strerror(errno));
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(fd);
    fail(path, "it is a directory");
  }
  return fd;
}

}  // namespace

LineReader::LineReader(const std::string& path, std::size_t line_limit_bytes)
    : path_(path), line_limit_bytes_(line_limit_bytes), file_(nullptr) {
  const int fd = open_for_reading(path);
  file_ = gzdopen(fd, "rb");
  if (file_ == nullptr) {
    ::close(fd);
    fail(path, "out of memory");
  }
  gzbuffer(file_of(file_), 1 << 17);
}

LineReader::~LineReader() { gzclose_r(file_of(file_)); }

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  constexpr std::size_t kChunk = 1 << 18;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + kChunk);
  const int got = gzread(file_of(file_), buffer_.data() + had, kChunk);
  buffer_.resize(had + static_cast<std::size_t>(std::max(got, 0)));
  int status = Z_OK;
  const char* reason = gzerror(file_of(file_), &status);
  // A stream that ends too early gives its bytes first and says so only in the status.
  if (got < 0 || status == Z_BUF_ERROR) {
    fail(path_, status == Z_ERRNO ? std::strerror(errno)
                                  : fmt::format("damaged or truncated gzip data ({})", reason));
  }
  return got > 0;
}

std::optional<std::string> LineReader::next() {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t feed = buffer_.find('\n', searched);
    if (feed != std::string::npos || ended_) {
      if (feed == std::string::npos && begin_ == buffer_.size()) return std::nullopt;
      const std::size_t end = std::min(feed, buffer_.size());
      std::string line = buffer_.substr(begin_, end - begin_);
      begin_ = std::min(end + 1, buffer_.size());
      ++line_;
      return line;
    }
    searched = buffer_.size() - begin_;  // fill() moves what is left to the front
    if (searched > line_limit_bytes_) {
      throw Error(
          fmt::format("{}, line {}: longer than {} bytes", path_, line_ + 1, line_limit_bytes_));
    }
    ended_ = !fill();
  }
}

}  // namespace umf
