// The fields of a reward's JSON object, each read once; what is left over is an error.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/json.h"

namespace umf {

class SpecFields {
 public:
  // `spec` must outlive this.
  SpecFields(const Json& spec, std::string where);

  bool has(const std::string& key) const { return spec_.contains(key); }
  std::string text(const std::string& key);  // throws Error where it is missing
  std::string text(const std::string& key, const std::string& otherwise);
  double number(const std::string& key, double otherwise, double least, double most);
  std::string choice(const std::string& key, const std::string& otherwise,
                     const std::set<std::string>& choices);
  const Json& list(const std::string& key);
  // Throws Error naming a field that nobody asked for.
  void finish() const;
  const std::string& where() const { return where_; }

 private:
  const Json& spec_;
  std::string where_;  // "p.json: reward 'evalplus'"
  std::set<std::string> asked_ = {"type"};
};

}  // namespace umf
