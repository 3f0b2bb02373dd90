// What several commands share: their common options, models by name or place, output.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "backend/backends.h"
#include "base/json.h"
#include "cli/options.h"
#include "model/checkpoint.h"

namespace umf {

struct CommonOptions {
  std::string backend = "auto";
  BackendOptions machine;
  bool quiet = false, json = false;

  void declare(OptionSet& options);
  std::unique_ptr<Backend> make_backend() const { return umf::make_backend(backend, machine); }
};

// "NAME=WHERE" or "WHERE": without a name, the last part of the place.
struct ModelChoice {
  std::string name, where;
};
ModelChoice parse_model_choice(const std::string& text);

// The text of a file, or of standard input for "-".
std::string read_input(const std::string& path);

// One JSON value and a newline on stdout; bytes that are not UTF-8 become U+FFFD, numbers that are
// not finite null.
void print_json(const Json& value);
void print_in_order(const nlohmann::ordered_json& value);

// The bytes of an answer and a newline on stdout. On a terminal, control characters other than
// newline and tab are shown as U+FFFD: a model's text must not command the terminal.
void print_answer(const std::string& text);

// True after Ctrl-C or SIGTERM. The first asks to stop; the second kills.
bool interrupted();
void watch_for_interrupts();

inline constexpr int kExitInterrupted = 130;

// The commands, one file each.
Command models_command();
Command backends_command();
Command tokenize_command();
Command logits_command();
Command generate_command();
Command solve_command();
Command grade_command();
Command simulate_command();
Command doctor_command();
Command math_equal_command();
Command serve_command();

}  // namespace umf
