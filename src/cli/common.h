// What several commands share: output and exit statuses.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/interrupts.h"
#include "setup/common_options.h"

namespace umf {

// One JSON value and a newline on stdout; bytes that are not UTF-8 become U+FFFD, numbers that are
// not finite null.
void print_json(const Json& value);
void print_in_order(const nlohmann::ordered_json& value);

// The bytes of an answer and a newline; `to` is another stream where stdout is taken. On a
// terminal, control characters other than newline and tab are shown as U+FFFD: a model's text must
// not command the terminal.
void print_answer(const std::string& text, std::FILE* to = stdout);

// Where one command has several processes, launchers such as srun give the highest of theirs: what
// asks for another start must stand above what does not.
inline constexpr int kExitNo = 1;            // the job ran and its answer is "no"
inline constexpr int kExitOthersAtWork = 3;  // nothing left for this process; others go on
inline constexpr int kExitTryAgain = 75;     // saved; the same command goes on
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
Command completion_command();
// These tell of all of them, themselves included: the list must outlive them.
Command complete_command(const std::vector<Command>& commands);
Command manual_command(const std::vector<Command>& commands);

}  // namespace umf
