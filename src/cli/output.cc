#include "cli/output.h"

#include <cstdio>

#include "base/error.h"

namespace umf {

Output::Output(const std::string& path) : to_stdout_(path == "-") {
  if (!path.empty() && !to_stdout_) file_.emplace(path);
}

void Output::write(std::string_view bytes) const {
  if (file_) return file_->write(bytes);
  if (!to_stdout_) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
      std::fflush(stdout) != 0)
    throw Error("cannot write the results to stdout");
}

}  // namespace umf
