#include "cli/common.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "setup/terminal.h"

namespace umf {
namespace {

void print_line(const std::string& text) { fmt::print("{}\n", text); }

}  // namespace

void print_json(const Json& value) {
  print_line(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void print_in_order(const nlohmann::ordered_json& value) {
  print_line(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_answer(const std::string& text, std::FILE* to) {
  fmt::print(to, "{}\n", ::isatty(::fileno(to)) == 0 ? text : harmless(text));
  std::fflush(to);  // whatever fails after it, the answer is out
}

}  // namespace umf
