// Compressed bytes from untrusted files: bounded, and an Error where they are damaged.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace umf {

// A zlib stream, unpacked. `where` names its source in errors.
std::string inflate_zlib(std::string_view bytes, std::size_t limit_bytes, const std::string& where);

// The lines of a file, plain or gzip (recognised by its first bytes), one at a time, without their
// line feed; "-" is standard input.
class LineReader {
 public:
  explicit LineReader(const std::string& path, std::size_t line_limit_bytes = std::size_t{1} << 30);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Empty at the end.
  std::optional<std::string> next();
  int line() const { return line_; }  // number of the line that next() gave, from 1

 private:
  bool fill();

  std::string path_;
  std::size_t line_limit_bytes_;
  void* file_;  // gzFile
  std::string buffer_;
  std::size_t begin_ = 0;  // of what next() has not given yet
  int line_ = 0;
  bool ended_ = false;
};

}  // namespace umf
