#include "gguf/gguf_files.h"

#include <fmt/core.h>

#include <map>

#include "base/error.h"

namespace umf {
namespace {

namespace fs = std::filesystem;

constexpr int kMostParts = 65535;
constexpr const char* kCount = "split.count";
constexpr const char* kNumber = "split.no";
constexpr const char* kTensors = "split.tensors.count";

// "-00001-of-00003.gguf"
std::string part_ending(int number, int count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number, count);
}

// How many parts the model has that this file belongs to; it must be the first of them.
int part_count(const GgufPart& first) {
  const GgufMetadata metadata(first.where, parse_gguf(first.file.bytes(), first.where).keys);
  const auto count = static_cast<int>(metadata.integer(kCount, 0, kMostParts).value_or(0));
  if (count <= 1) return 1;
  const auto number = static_cast<int>(metadata.integer(kNumber, 0, kMostParts).value_or(0));
  if (number == 0) return count;
  const std::string own = part_ending(number + 1, count);
  const std::string stem =
      first.where.ends_with(own) ? first.where.substr(0, first.where.size() - own.size()) : "...";
  throw Error(fmt::format("'{}' is part {} of {} of a model; give the first: '{}'", first.where,
                          number + 1, count, stem + part_ending(1, count)));
}

GgufPart open_part(const fs::path& path) { return {path.string(), MappedFile(path)}; }

}  // namespace

GgufModel open_gguf(const fs::path& path) {
  std::vector<GgufPart> parts;
  parts.push_back(open_part(path));
  const int count = part_count(parts.front());
  const std::string name = path.string(), ending = part_ending(1, count);
  if (count > 1 && !name.ends_with(ending))
    throw Error(
        fmt::format("'{}' is the first of {} parts of a model, but its name does not end in "
                    "'{}', so that the others cannot be found",
                    name, count, ending));
  for (int number = 2; number <= count; ++number) {
    const fs::path other = name.substr(0, name.size() - ending.size()) + part_ending(number, count);
    if (!fs::exists(other))
      throw Error(
          fmt::format("'{}' has {} parts, but '{}' is not there", name, count, other.string()));
    parts.push_back(open_part(other));
  }
  return join_gguf(std::move(parts));
}

GgufModel join_gguf(std::vector<GgufPart> parts) {
  std::vector<MappedFile> files;
  std::vector<GgufTensor> tensors;
  std::vector<GgufMetadata> metadata;
  std::map<std::string, int> part_of;
  const int count = static_cast<int>(parts.size());
  for (int i = 0; i < count; ++i) {
    Gguf gguf = parse_gguf(parts[i].file.bytes(), parts[i].where);
    const GgufMetadata& own = metadata.emplace_back(parts[i].where, std::move(gguf.keys));
    if (count > 1 && own.integer(kNumber, 0, kMostParts) != i)
      own.fail(kNumber, fmt::format("must be {} in part {} of {}", i, i + 1, count));
    if (count > 1 && own.integer(kCount, 0, kMostParts) != count)
      own.fail(kCount, fmt::format("must be {} in every part", count));
    for (GgufTensor& tensor : gguf.tensors) {
      const auto [other, fresh] = part_of.emplace(tensor.name, i);
      if (!fresh)
        throw Error(fmt::format("{}: tensor '{}' is in part {}, too", parts[i].where, tensor.name,
                                other->second + 1));
      tensors.push_back(std::move(tensor));
    }
    files.push_back(std::move(parts[i].file));
  }
  const auto promised = metadata.front().integer(kTensors, 0, INT64_MAX);
  if (count > 1 && promised != static_cast<std::int64_t>(tensors.size()))
    metadata.front().fail(
        kTensors, fmt::format("must be {}, the number of tensors in all parts", tensors.size()));
  return {std::move(files), std::move(metadata.front()), std::move(tensors)};
}

bool is_gguf_piece(const std::string& name) {
  const auto ending = name.rfind(".gguf.");
  return ending != std::string::npos && name.substr(ending + 6).starts_with("part");
}

}  // namespace umf
