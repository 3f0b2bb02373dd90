// What several commands share: their common options, models by name or place, output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "backend/backends.h"
#include "base/json.h"
#include "cli/interrupts.h"
#include "cli/options.h"
#include "model/checkpoint.h"
#include "session/search_request.h"

namespace umf {

struct CommonOptions {
  std::string backend = "auto";
  BackendOptions machine;
  bool quiet = false, json = false, strict_config = false;

  void declare(OptionSet& options);
  void declare_strictness(OptionSet& options);  // of commands that open models
  // `machine`, with a report on stderr of how far the copy of weights to a device is.
  BackendOptions reporting() const;
  std::unique_ptr<Backend> make_backend() const { return umf::make_backend(backend, reporting()); }
  // A model, with its warnings on stderr.
  Checkpoint open(const Location& location) const;
};

// "NAME=WHERE" or "WHERE": without a name, the last part of the place, without ".gguf".
ModelChoice parse_model_choice(const std::string& text);
// What stands for --model where it is not given: the embedded models. Throws Error in a program
// without them.
std::vector<std::string> default_models(const std::string& command);

// The text of a file, or of standard input for "-".
std::string read_input(const std::string& path);

// The ids in a file, one per line. Throws Error when there are none.
std::vector<std::string> read_ids(const std::string& path);

// One JSON value and a newline on stdout; bytes that are not UTF-8 become U+FFFD, numbers that are
// not finite null.
void print_json(const Json& value);
void print_in_order(const nlohmann::ordered_json& value);

// The bytes of an answer and a newline; `to` is another stream where stdout is taken. On a
// terminal, control characters other than newline and tab are shown as U+FFFD: a model's text must
// not command the terminal.
void print_answer(const std::string& text, std::FILE* to = stdout);

inline constexpr int kExitNo = 1;         // the job ran and its answer is "no"
inline constexpr int kExitTryAgain = 75;  // saved; the same command goes on
inline constexpr int kExitInterrupted = 130;

// The commands, one file each.
Command solve_command();
Command bench_command();
Command tune_command();
Command status_command();
Command report_command();
Command compare_command();
Command grade_command();
Command generate_command();
Command serve_command();
Command models_command();
Command backends_command();
Command doctor_command();
Command tokenize_command();
Command logits_command();
Command simulate_command();
Command math_equal_command();

}  // namespace umf
