// What printing trees for people and for comparing have in common.
#pragma once

#include <string>
#include <vector>

#include "math/expr.h"

namespace umf {

std::string joined(const std::vector<std::string>& parts, const char* separator);

template <class Print>
std::vector<std::string> each(const Expr& e, const Print& print) {
  std::vector<std::string> parts;
  for (const Expr& arg : e->args) parts.push_back(print(arg));
  return parts;
}

// "Sum" for a sum, "" for kinds that are written with signs.
const char* wrapper_of(Kind kind);

}  // namespace umf
