// Where an option says that results go: a file, or - for stdout.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"

namespace umf {

class Output {
 public:
  // Empty: nowhere. Throws Error where it cannot be written, before anything is done for it.
  explicit Output(const std::string& path);

  explicit operator bool() const { return to_stdout_ || file_; }
  bool to_stdout() const { return to_stdout_; }
  void write(std::string_view bytes) const;  // once

 private:
  bool to_stdout_ = false;
  std::optional<OutputFile> file_;
};

}  // namespace umf
