// make-tiny-models: writes the tiny checkpoints, or a random one of any shape, for tests and
// benchmarks.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tiny/tiny_models.h"

namespace {

constexpr const char* kHelp = R"(usage: make-tiny-models [options] DIR [NAME...]

Writes each named tiny checkpoint to DIR/NAME (all of them when none is named) in the published
Hugging Face layout, the same bits on every machine, and prints the FNV-1a checksum of its weights.
With --family, writes one random checkpoint of the given shape to DIR itself.

  --dtype f32|bf16|f16   storage type of the weights (f32)
  --shards N             number of safetensors files (1)
  --seed N               another seed gives other weights (2)
  --variant NAME         transformers5 (config.json in the form of that version), tied (a head that
                         is the embedding), spare-head (a tied head that has a tensor, too) or
                         leftovers (unknown keys, unused tensors); may repeat
  --list                 print the names of the tiny checkpoints
  --help                 print this text

  --family llada|dream|diffucoder|sdc|prm|sdar|dreamreasoner|illada|a2d|open-dcoder|fdv2|lladamoe|
           sdarmoe|rnd1|llada2|nemotron
  --layers N  --hidden N  --heads N  --kv-heads N  --head-dim N  --mlp N  --vocab N  --block N
  --experts N  --chosen N  --expert-width N  --groups N  --kept-groups N  --shared N
  --dense-layers N  --rotated N
                         the shape; what is left out is as in the family's tiny checkpoint
)";

struct Arguments {
  umf::TinyOptions options;
  std::optional<umf::TinySpec> custom;
  std::vector<std::string> words;  // DIR, then names
  bool help = false, list = false;
};

template <class Number>
Number parse_number(std::string_view option, std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw umf::Error(fmt::format("{} needs a whole number, not '{}'.", option, text));
  return value;
}

std::string parse_dtype(std::string_view text) {
  if (text == "f32") return "F32";
  if (text == "bf16") return "BF16";
  if (text == "f16") return "F16";
  throw umf::Error(fmt::format("unknown --dtype '{}'. Use f32, bf16 or f16.", text));
}

void set_variant(umf::TinyOptions& options, std::string_view name) {
  if (name == "transformers5")
    options.transformers5 = true;
  else if (name == "tied")
    options.tied = true;
  else if (name == "spare-head")
    options.spare_head = true;
  else if (name == "leftovers")
    options.leftovers = true;
  else
    throw umf::Error(fmt::format(
        "unknown --variant '{}'. Use transformers5, tied, spare-head or leftovers.", name));
}

int* shape_field(umf::TinySpec& spec, std::string_view option) {
  if (option == "--layers") return &spec.layers;
  if (option == "--hidden") return &spec.hidden;
  if (option == "--heads") return &spec.heads;
  if (option == "--kv-heads") return &spec.kv_heads;
  if (option == "--head-dim") return &spec.head_dim;
  if (option == "--block") return &spec.block;
  if (option == "--mlp") return &spec.mlp;
  if (option == "--vocab") return &spec.vocab;
  if (option == "--experts") return &spec.experts;
  if (option == "--chosen") return &spec.chosen;
  if (option == "--expert-width") return &spec.expert_width;
  if (option == "--groups") return &spec.groups;
  if (option == "--kept-groups") return &spec.kept_groups;
  if (option == "--shared") return &spec.shared;
  if (option == "--dense-layers") return &spec.dense_layers;
  if (option == "--rotated") return &spec.rotated;
  return nullptr;
}

void set_option(Arguments& arguments, std::string_view option, std::string_view value) {
  if (option == "--dtype") {
    arguments.options.dtype = parse_dtype(value);
  } else if (option == "--shards") {
    arguments.options.shards = parse_number<int>(option, value);
  } else if (option == "--seed") {
    arguments.options.seed = parse_number<std::uint64_t>(option, value);
  } else if (option == "--variant") {
    set_variant(arguments.options, value);
  } else if (option == "--family") {
    arguments.custom = umf::custom_spec(umf::tiny_family(value));
  } else if (umf::TinySpec probe; shape_field(probe, option) == nullptr) {
    throw umf::Error(fmt::format("unknown option {}. See --help.", option));
  } else if (!arguments.custom) {
    throw umf::Error(
        fmt::format("{} belongs to a shape of your own: give --family before it.", option));
  } else {
    *shape_field(*arguments.custom, option) = parse_number<int>(option, value);
  }
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help") {
      arguments.help = true;
    } else if (word == "--list") {
      arguments.list = true;
    } else if (!word.starts_with("--")) {
      arguments.words.emplace_back(word);
    } else if (++i < argc) {
      set_option(arguments, word, argv[i]);
    } else {
      throw umf::Error(fmt::format("{} needs a value. See --help.", word));
    }
  }
  return arguments;
}

void print_checksum(const std::string& name, const std::filesystem::path& directory) {
  const auto path = directory / "model.safetensors";
  if (!exists(path)) return fmt::print("{} {}\n", name, directory.string());
  fmt::print("{} {} fnv1a64 {:016x}\n", name, path.string(), umf::fnv1a64(umf::read_file(path)));
}

void run(const Arguments& arguments) {
  if (arguments.help) return fmt::print("{}", kHelp);
  if (arguments.list) return fmt::print("{}\n", fmt::join(umf::tiny_names(), "\n"));
  if (arguments.words.empty()) throw umf::Error("no folder given. See --help.");
  const std::filesystem::path directory = arguments.words[0];
  std::vector<std::string> names(arguments.words.begin() + 1, arguments.words.end());
  if (arguments.custom) {
    if (!names.empty()) throw umf::Error("--family writes one checkpoint; it takes no names.");
    umf::write_random_model(*arguments.custom, directory, arguments.options);
    return fmt::print("{}\n", directory.string());
  }
  for (const std::string& name : names) umf::tiny_spec(name);  // refuse before anything is written
  for (const std::string& name : names.empty() ? umf::tiny_names() : names) {
    umf::write_tiny_model(name, directory / name, arguments.options);
    print_checksum(name, directory / name);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
