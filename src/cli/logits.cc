// umf logits: raw predictions of one forward pass, as a NumPy file.
#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.h"
#include "cli/common.h"
#include "cli/npy.h"
#include "cli/output.h"
#include "model/language_model.h"
#include "setup/token_list.h"

namespace umf {
namespace {

struct LogitsOptions {
  CommonOptions common;
  std::string model, tokens, positions, out;
  int prompt = 0;
};

int parse_position(std::string_view text, int first, int length) {
  int value = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < first ||
      value >= length) {
    throw Error(
        fmt::format("--positions: '{}' is not a position from {} to {}", text, first, length - 1));
  }
  return value;
}

// "0,5,8-11"; empty for all behind the prompt.
std::vector<int> parse_positions(std::string_view text, int prompt, int length) {
  std::vector<int> positions;
  if (text.empty()) {
    positions.resize(length - prompt);
    std::iota(positions.begin(), positions.end(), prompt);
  }
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const auto dash = part.find('-');
    const int first = parse_position(part.substr(0, dash), prompt, length);
    const int last = dash == std::string_view::npos
                         ? first
                         : parse_position(part.substr(dash + 1), prompt, length);
    for (int position = first; position <= last; ++position) positions.push_back(position);
  }
  if (positions.empty()) throw Error("--positions names no position");
  return positions;
}

int write_logits(const LogitsOptions& options) {
  for (const auto& [name, value] :
       {std::pair{"--model WHERE", &options.model}, std::pair{"--tokens FILE", &options.tokens},
        std::pair{"--out FILE.npy", &options.out}}) {
    if (value->empty()) throw Error(fmt::format("umf logits needs {}", name));
  }
  const Output out(options.out);
  if (out.to_stdout() && options.common.json)
    throw Error("--out - and --json would both go to stdout; give --out a file");
  const auto backend = options.common.make_backend();
  const ModelChoice choice = parse_model_choice(options.model);
  LanguageModel model(choice.name, options.common.open(find_checkpoint(choice.where)), *backend);
  const std::vector<Token> tokens = read_token_list(options.tokens, model.info().vocabulary);
  if (tokens.empty()) throw Error(options.tokens + ": there are no tokens in it");
  const int length = static_cast<int>(tokens.size());
  if (options.prompt < 0 || options.prompt >= length)
    throw Error(fmt::format("--prompt must be from 0 to {}, not {}", length - 1, options.prompt));
  const std::vector<int> positions = parse_positions(options.positions, options.prompt, length);
  const std::vector<float> logits = model.logits(tokens, positions, options.prompt);
  out.write(npy_file(logits, positions.size(), model.info().vocabulary));
  if (options.common.json) {
    print_json(
        {{"out", options.out}, {"rows", positions.size()}, {"columns", model.info().vocabulary}});
  }
  return 0;
}

}  // namespace

Command logits_command() {
  return {
      "logits", "raw predictions of one forward pass", [](OptionSet& options) {
        auto o = std::make_shared<LogitsOptions>();
        options.value("model", o->model,
                      "a model directory, a *.gguf file, or org/name in the local hub cache");
        options.choices("model", known_models);
        options.value("tokens", o->tokens, "a file with a JSON array of token ids; - for stdin");
        options.value("positions", o->positions, "which positions, as 0,5,8-11; all without it");
        options.value("prompt", o->prompt,
                      "how many of the tokens are the prompt, behind which positions are: for "
                      "models whose blocks begin there");
        options.value("out", o->out, "the .npy file: float32, one row per position; - for stdout");
        o->common.declare(options);
        o->common.declare_strictness(options);
        options.footer(
            "Row i is what the model says about position i; a family that shifts has been "
            "shifted.");
        return [o] { return write_logits(*o); };
      }};
}

}  // namespace umf
