// JSON Lines that tests are driven by: our own under tests/data, shared ones beside the checkout.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace umf {

inline std::vector<Json> read_json_lines(const std::filesystem::path& path) {
  std::vector<Json> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) lines.push_back(parse_json(line, path.string()));
  }
  return lines;
}

inline std::filesystem::path own_data(const std::string& name) {
  return std::filesystem::path(UMF_SOURCE_DIR "/tests/data/math") / name;
}
inline std::filesystem::path shared_data(const std::string& name) {
  return std::filesystem::path(UMF_SOURCE_DIR "/../shared/data") / name;
}

#define SKIP_WITHOUT(path) \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << (path) << " beside the checkout"

}  // namespace umf
