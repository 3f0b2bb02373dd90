// umf generate: one plain decoding, no search.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/common.h"
#include "cli/output.h"
#include "setup/progress.h"
#include "setup/writing.h"

namespace umf {
namespace {

using Clock = std::chrono::steady_clock;

struct GenerateOptions {
  CommonOptions common;
  std::string prompt, system, trace, prompt_tokens;
  std::optional<std::string> prompt_file, chat_template;
  bool raw = false;
  WritingOptions writing;
};

std::string prompt_text(const GenerateOptions& options) {
  if (options.prompt_file) {
    if (!options.prompt.empty())
      throw Error("give the prompt as an argument or as --prompt-file, not both");
    return read_input(*options.prompt_file);
  }
  if (options.prompt == "-") return read_stdin();
  if (options.prompt.empty()) {
    throw Error("umf generate needs a prompt: an argument, --prompt-file FILE, or - for stdin");
  }
  return options.prompt;
}

WritingPrompt asked(const GenerateOptions& options) {
  WritingPrompt prompt;
  if (const std::string& file = options.prompt_tokens; !file.empty()) {
    prompt.where = file == "-" ? "stdin" : file;
    prompt.tokens = parse_json(read_input(file), prompt.where);
    return prompt;
  }
  std::string text = prompt_text(options);
  if (options.raw) {
    prompt.text = std::move(text);
    return prompt;
  }
  if (!options.system.empty()) prompt.messages.push_back({"system", options.system});
  prompt.messages.push_back({"user", std::move(text)});
  if (options.chat_template) prompt.chat_template = read_input(*options.chat_template);
  return prompt;
}

int generate(GenerateOptions& options) {
  const Output trace_out(options.trace);
  if (trace_out.to_stdout() && options.common.json)
    throw Error("--trace - and --json would both go to stdout; give --trace a file");
  const auto start = Clock::now();
  const auto backend = options.common.make_backend();
  ModelCache model_cache(*backend, /*memory_limit=*/0);
  Writing writing(options.writing, asked(options), model_cache, options.common);
  const double load_seconds = std::chrono::duration<double>(Clock::now() - start).count();

  watch_for_interrupts();
  std::string trace;
  Decoding decoding;
  {
    Progress progress(options.common.quiet);
    decoding = writing.write([&](const Decoding& now, std::span<const Commit> commits) {
      if (trace_out) trace += trace_line(now.passes, commits, *writing.lexicon_of(now).tokenizer);
      progress.show(now.passes, writing.length(), writing.name());
      return !interrupted();
    });
  }
  if (options.common.json)
    print_json(writing.json(decoding, load_seconds));
  else
    print_answer(writing.answer(decoding), trace_out.to_stdout() ? stderr : stdout);
  std::fflush(stdout);
  trace_out.write(trace);
  return decoding.interrupted ? kExitInterrupted : 0;
}

void declare(OptionSet& options, GenerateOptions& o) {
  options.argument("PROMPT", o.prompt, "the user's message; - for stdin");
  options.value("prompt-file", o.prompt_file, "the user's message from a file");
  options.value("prompt-tokens", o.prompt_tokens,
                "the whole prompt as a JSON array of token ids, from a file");
  options.value("system", o.system, "a system message");
  options.flag("raw", o.raw, "the prompt as it is: no chat template, special tokens parsed");
  options.value("chat-template", o.chat_template, "a Jinja file instead of the model's template");
  o.writing.declare(options);
  options.value(
      "trace", o.trace,
      "a JSON Lines file: what each pass committed; - for stdout, the answer then on stderr");
  o.common.declare(options);
  o.common.declare_strictness(options);
  options.footer(
      "Without action options the model's recommended action is used (umf models WHERE shows it).\n"
      "Example: umf generate --model DIR --length 128 \"Write a haiku about masks.\"");
}

}  // namespace

Command generate_command() {
  return {"generate", "one plain decoding, no search", [](OptionSet& options) {
            auto o = std::make_shared<GenerateOptions>();
            declare(options, *o);
            return [o] { return generate(*o); };
          }};
}

}  // namespace umf
