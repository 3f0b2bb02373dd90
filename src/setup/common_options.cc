#include "setup/common_options.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/inflate.h"
#include "model/embedded.h"
#include "setup/progress.h"
#include "setup/say.h"

namespace umf {

void CommonOptions::declare(OptionSet& options) {
  options.value(
      "backend", backend,
      "auto, cuda, cpu, cpu-bf16, cuda-f32, cuda-w8 or cuda-fp8 (approximate), or reference");
  options.choices("backend", [] {
    std::vector<std::string> names = {"auto"};
    for (const BackendEntry& one : backends()) names.emplace_back(one.name);
    return names;
  });
  options.value("device", device,
                "the GPU to run on, by number; 0 without it (umf backends lists them)");
  options.value("threads", machine.threads, "threads of the cpu backends; 0 for all cores");
  options.value(
      "cpu-target", machine.target,
      "force avx512bf16 (cpu-bf16 alone), avx512, avx2, neon or scalar; the results are the same");
  options.environment("backend", "UMF_BACKEND");
  options.environment("threads", "UMF_THREADS");
  options.flag("quiet", quiet, "no progress on stderr");
  options.flag("json", json, "results as JSON");
}

void CommonOptions::declare_strictness(OptionSet& options) {
  options.flag("strict-config", strict_config,
               "refuse a model whose config.json has keys that are not known; else a warning");
}

Checkpoint CommonOptions::open(const Location& location) const {
  Checkpoint checkpoint =
      open_checkpoint(location, strict_config ? UnknownKeys::kRefuse : UnknownKeys::kIgnore);
  for (const std::string& text : checkpoint.warnings) warning(text);
  return checkpoint;
}

BackendOptions CommonOptions::reporting() const {
  BackendOptions options = machine;
  if (device) {
    const auto [end, failure] =
        std::from_chars(device->data(), device->data() + device->size(), options.device);
    if (failure != std::errc() || end != device->data() + device->size() || options.device < 0)
      throw Error(
          fmt::format("--device takes the number of one device, not '{}'; several are "
                      "--devices, where a command takes them",
                      *device));
  }
  options.copied = [progress = std::make_shared<Progress>(quiet)](std::uint64_t bytes) {
    progress->show(
        [&] { return fmt::format("{:.1f} GB of weights copied to the GPU", bytes / 1e9); });
  };
  return options;
}

std::unique_ptr<Backend> CommonOptions::make_backend_on(int number) const {
  BackendOptions options = reporting();
  options.device = number;
  return umf::make_backend(backend, options);
}

void CommonOptions::warning(const std::string& text) const {
  if (warn)
    warn(text);
  else
    say("warning: {}\n", text);
}

ModelChoice parse_model_choice(const std::string& text) {
  const auto equals = text.find('=');
  const auto slash = text.find('/');
  if (equals != std::string::npos && (slash == std::string::npos || equals < slash)) {
    ModelChoice choice{text.substr(0, equals), text.substr(equals + 1)};
    if (choice.name.empty() || choice.where.empty()) {
      throw Error(fmt::format("--model takes NAME=WHERE or WHERE, not '{}'", text));
    }
    return choice;
  }
  std::string name = std::filesystem::path(text).filename().string();
  if (name.empty()) name = std::filesystem::path(text).parent_path().filename().string();
  if (name.ends_with(".gguf")) name.resize(name.size() - 5);
  return {name, text};
}

std::vector<std::string> default_models(const std::string& command) {
  std::vector<std::string> names;
  for (const BuiltInFolder& model : embedded_models()) names.emplace_back(model.name);
  if (names.empty()) throw Error(command + " needs --model WHERE");
  return names;
}

std::vector<std::string> known_models() {
  std::vector<std::string> names = cached_models();
  std::vector<std::string> embedded;
  for (const BuiltInFolder& model : embedded_models()) embedded.emplace_back(model.name);
  names.insert(names.begin(), embedded.begin(), embedded.end());
  return names;
}

std::string read_input(const std::string& path) {
  return path == "-" ? read_stdin() : read_stream(path);
}

std::vector<std::string> read_ids(const std::string& path) {
  std::vector<std::string> ids;
  LineReader lines(path);
  while (auto line = lines.next()) {
    const auto first = line->find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    ids.push_back(line->substr(first, line->find_last_not_of(" \t\r") - first + 1));
  }
  if (ids.empty()) throw Error(fmt::format("--ids {}: there is no id in it", path));
  return ids;
}

}  // namespace umf
