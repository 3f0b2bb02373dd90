// The entries of a checkpoint, to be compared.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"

namespace umf {

// Without how long they took, which differs from run to run.
inline std::vector<Json> journal_entries(const std::string& text) {
  std::istringstream lines(text);
  std::vector<Json> entries;
  for (std::string line; std::getline(lines, line);) {
    entries.push_back(Json::parse(line));
    entries.back().erase("sum");
    if (entries.back().contains("entry")) entries.back()["entry"].erase("seconds");
  }
  return entries;
}

}  // namespace umf
