// umf: one program, one file per command.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "base/cancelled.h"
#include "base/error.h"
#include "built_in.h"
#include "cli/common.h"
#include "model/embedded.h"
#include "setup/say.h"

int main(int argc, char** argv) {
  try {
    umf::embed_models(umf::built_in_models());
    std::vector<umf::Command> commands;
    commands = {
        umf::solve_command(),          umf::bench_command(),      umf::tune_command(),
        umf::status_command(),         umf::report_command(),     umf::compare_command(),
        umf::grade_command(),          umf::generate_command(),   umf::serve_command(),
        umf::models_command(),         umf::backends_command(),   umf::doctor_command(),
        umf::tokenize_command(),       umf::logits_command(),     umf::simulate_command(),
        umf::math_equal_command(),     umf::completion_command(), umf::complete_command(commands),
        umf::manual_command(commands),
    };
    const int status = umf::run_command_line(commands, argc, argv);
    // A full disk or a closed pipe must not pass for success.
    if (std::fflush(stdout) != 0) throw umf::Error("cannot write the results to stdout");
    return status;
  } catch (const umf::Cancelled&) {
    return umf::kExitInterrupted;
  } catch (const umf::Error& mistake) {
    umf::say("error: {}\n", mistake.what());
  } catch (const std::bad_alloc&) {
    umf::say("error: out of memory; try a smaller model or a shorter answer\n");
  } catch (const std::exception& failure) {
    umf::say("error: {}\n", failure.what());
  }
  return 2;
}
