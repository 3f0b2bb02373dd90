#include "model/safetensors.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr std::size_t kHeaderLimit = 100'000'000;  // the format's own limit
constexpr int kDimensionLimit = 8;
constexpr std::size_t kNameLimit = 512;

// Bytes of an element of a type that the format defines, or 0.
std::size_t element_size(std::string_view type) {
  constexpr std::pair<std::string_view, std::size_t> kTypes[] = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
      {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
      {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8}};
  for (const auto& [name, size] : kTypes) {
    if (name == type) return size;
  }
  return 0;
}

// The types of files that are computed with.
std::optional<DType> dtype_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kDTypes); ++i) {
    const auto type = static_cast<DType>(i);
    if (kDTypes[i].name == name && type != DType::kF8) return type;
  }
  return std::nullopt;
}

// Names are told in messages, of one line, to terminals.
void check_name(const std::string& name, const std::string& where) {
  if (name.empty() || name.size() > kNameLimit)
    throw Error(fmt::format("{}: a tensor's name has {} bytes (1 to {} are allowed)", where,
                            name.size(), kNameLimit));
  if (const std::string shown = excerpt(name, kNameLimit); shown != name)
    throw Error(fmt::format("{}: tensor '{}' has characters that no name has", where, shown));
}

struct Place {
  std::uint64_t begin, end;
  const std::string* name;
};

class HeaderParser {
 public:
  HeaderParser(std::span<const std::byte> file, const std::string& where)
      : file_(file), where_(where) {}

  std::map<std::string, StoredTensor> parse() {
    const Json header = read_header();
    std::map<std::string, StoredTensor> tensors;
    std::vector<Place> places;
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      const auto [begin, end] = check_entry(name, entry, tensors[name]);
      places.push_back({begin, end, &tensors.find(name)->first});
    }
    check_cover(places);
    return tensors;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(where_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  Json read_header() {
    if (file_.size() < 8) fail("{} bytes are too few for a safetensors file", file_.size());
    std::uint64_t length;
    std::memcpy(&length, file_.data(), 8);
    if (length > kHeaderLimit || length > file_.size() - 8) {
      fail("its header claims {} bytes, but {} follow", length, file_.size() - 8);
    }
    data_ = file_.subspan(8 + length);
    const std::string_view text(reinterpret_cast<const char*>(file_.data()) + 8, length);
    Json header = parse_json(text, where_ + " (header)");
    if (!header.is_object()) fail("its header is not a JSON object");
    return header;
  }

  std::pair<std::uint64_t, std::uint64_t> check_entry(const std::string& name, const Json& entry,
                                                      StoredTensor& tensor) {
    check_name(name, where_);
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets")) {
      fail("tensor '{}' must have exactly dtype, shape and data_offsets", name);
    }
    if (!entry["dtype"].is_string() || element_size(entry["dtype"].get<std::string>()) == 0) {
      fail("tensor '{}' has the unknown dtype {}", name, entry["dtype"].dump());
    }
    tensor.type = entry["dtype"].get<std::string>();
    const std::uint64_t size = check_shape(name, entry["shape"], tensor);
    const Json& offsets = entry["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      fail("tensor '{}': data_offsets must be two non-negative integers", name);
    }
    const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
    if (begin > end || end > data_.size()) {
      fail("tensor '{}' lies at {}..{}, but the file holds {} bytes of data (truncated?)", name,
           begin, end, data_.size());
    }
    if (end - begin != size) {
      fail("tensor '{}' of shape {} and type {} needs {} bytes, but its offsets give {}", name,
           entry["shape"].dump(), tensor.type, size, end - begin);
    }
    tensor.bytes = data_.subspan(begin, size);
    return {begin, end};
  }

  // The size in bytes that the shape asks for.
  std::uint64_t check_shape(const std::string& name, const Json& shape, StoredTensor& tensor) {
    if (!shape.is_array() || shape.size() > kDimensionLimit) {
      fail("tensor '{}': shape must be a list of at most {} numbers", name, kDimensionLimit);
    }
    std::uint64_t size = element_size(tensor.type);
    for (const Json& dimension : shape) {
      if (!dimension.is_number_unsigned() || dimension.get<std::uint64_t>() > (1ull << 40)) {
        fail("tensor '{}' has the impossible shape {}", name, shape.dump());
      }
      tensor.shape.push_back(dimension.get<std::int64_t>());
      if (__builtin_mul_overflow(size, dimension.get<std::uint64_t>(), &size)) {
        fail("tensor '{}' has the impossible shape {}", name, shape.dump());
      }
    }
    return size;
  }

  void check_cover(std::vector<Place>& places) {
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t covered = 0;
    for (const Place& place : places) {
      if (place.begin < covered) fail("tensor '{}' overlaps another tensor", *place.name);
      if (place.begin > covered) {
        fail("{} bytes before tensor '{}' belong to no tensor", place.begin - covered, *place.name);
      }
      covered = place.end;
    }
    if (covered != data_.size()) {
      fail("{} bytes after the last tensor belong to no tensor", data_.size() - covered);
    }
  }

  std::span<const std::byte> file_, data_;
  const std::string& where_;
};

// Tensor name -> shard file name, as the index gives it.
std::map<std::string, std::string> read_index(const Folder& folder, const std::string& name) {
  const std::string where = folder.place(name);
  const Json index = parse_json(folder.read(name), where);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    throw Error(where + ": expected an object with a 'weight_map'");
  }
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : index["weight_map"].items()) {
    check_name(name, where);
    if (!file.is_string() || file.get<std::string>().find('/') != std::string::npos ||
        !file.get<std::string>().ends_with(".safetensors")) {
      throw Error(
          fmt::format("{}: tensor '{}' is said to be in {}, which is no *.safetensors file name",
                      where, name, file.dump()));
    }
    files[name] = file.get<std::string>();
  }
  return files;
}

std::string only_file(const Folder& folder) {
  std::vector<std::string> found;
  bool pickled = false;
  for (const std::string& name : folder.names()) {
    if (name.ends_with(".safetensors")) found.push_back(name);
    pickled |= name.ends_with(".bin") || name.ends_with(".pt");
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    throw Error(fmt::format("'{}' has {} *.safetensors files but no model.safetensors.index.json",
                            folder.place(), found.size()));
  }
  throw Error(fmt::format("'{}' has no *.safetensors file{}", folder.place(),
                          pickled ? "; its pickled weights must be converted first" : ""));
}

}  // namespace

std::map<std::string, StoredTensor> parse_safetensors(std::span<const std::byte> file,
                                                      const std::string& where) {
  return HeaderParser(file, where).parse();
}

Weights Weights::open(const Folder& folder) {
  Weights weights;
  weights.where_ = folder.place();
  std::map<std::string, std::string> index;
  std::set<std::string> names;
  if (folder.contains("model.safetensors")) {
    names = {"model.safetensors"};
  } else if (folder.contains("model.safetensors.index.json")) {
    index = read_index(folder, "model.safetensors.index.json");
    for (const auto& [tensor, file] : index) names.insert(file);
  } else {
    names = {only_file(folder)};
  }
  for (const std::string& name : names) {
    const std::string where = folder.place(name);
    const MappedFile& file = weights.files_.emplace_back(folder.map(name));
    for (auto& [tensor, stored] : parse_safetensors(file.bytes(), where)) {
      const auto listed = index.find(tensor);
      if (!index.empty() && (listed == index.end() || listed->second != name)) {
        throw Error(
            fmt::format("{}: tensor '{}' is here, but the index does not say so", where, tensor));
      }
      weights.tensors_.emplace(tensor, std::move(stored));
    }
  }
  for (const auto& [tensor, file] : index) {
    if (!weights.contains(tensor)) {
      throw Error(fmt::format("{}: the index promises tensor '{}', which is not there",
                              folder.place(file), tensor));
    }
  }
  return weights;
}

Weights Weights::in_memory(std::map<std::string, StoredTensor> tensors) {
  Weights weights;
  weights.where_ = "memory";
  weights.tensors_ = std::move(tensors);
  return weights;
}

Weights Weights::of(std::string where, std::vector<MappedFile> files,
                    std::map<std::string, StoredTensor> tensors,
                    std::vector<std::vector<std::byte>> copies) {
  Weights weights;
  weights.where_ = std::move(where);
  weights.files_ = std::move(files);
  weights.tensors_ = std::move(tensors);
  weights.copies_ = std::move(copies);
  return weights;
}

HostTensor Weights::matrix(const std::string& name, int rows, int cols) const {
  HostTensor tensor = view(name, {rows, cols});
  tensor.rows = rows;
  tensor.cols = cols;
  return tensor;
}

HostTensor Weights::vector(const std::string& name, int size) const {
  HostTensor tensor = view(name, {size});
  tensor.rows = 1;
  tensor.cols = size;
  return tensor;
}

void Weights::split(const std::string& name, const std::vector<std::string>& parts) {
  const StoredTensor whole = tensors_.at(name);
  const auto count = static_cast<std::int64_t>(parts.size());
  if (whole.shape.empty() || whole.shape.front() % count != 0) {
    throw Error(fmt::format("{}: tensor '{}' has shape [{}], which is not {} equal parts", where_,
                            name, fmt::join(whole.shape, ", "), count));
  }
  tensors_.erase(name);
  StoredTensor part = whole;
  part.shape.front() /= count;
  if (part.shape.front() == 1) part.shape.erase(part.shape.begin());
  const std::size_t bytes = whole.bytes.size() / parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    part.bytes = whole.bytes.subspan(i * bytes, bytes);
    if (!tensors_.emplace(parts[i], part).second)
      throw Error(fmt::format("{}: tensor '{}' is there twice, as a part of '{}', too", where_,
                              parts[i], name));
  }
}

HostTensor Weights::view(const std::string& name, std::vector<std::int64_t> shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    throw Error(fmt::format("{}: tensor '{}' is missing", where_, name));
  }
  const StoredTensor& stored = found->second;
  if (stored.shape != shape) {
    throw Error(fmt::format("{}: tensor '{}' has shape [{}], but the configuration asks for [{}]",
                            where_, name, fmt::join(stored.shape, ", "), fmt::join(shape, ", ")));
  }
  const auto type = dtype_named(stored.type);
  if (!type || (is_quantised(*type) && shape.size() == 1)) {
    throw Error(fmt::format("{}: tensor '{}' has type {}; F32, F16 and BF16 are supported{}",
                            where_, name, stored.type, type ? " for vectors" : ""));
  }
  const HostTensor tensor{.data = stored.bytes.data(), .type = *type};
  const std::size_t alignment = is_quantised(*type) ? 1 : size_of(*type);
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % alignment != 0) {
    throw Error(
        fmt::format("{}: tensor '{}' is not aligned to its element size; save the file again "
                    "with a current safetensors library",
                    where_, name));
  }
  return tensor;
}

std::uint64_t Weights::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [name, tensor] : tensors_) sum += tensor.bytes.size();
  return sum;
}

std::uint64_t Weights::parameters() const {
  std::uint64_t sum = 0;
  for (const auto& [name, tensor] : tensors_) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= static_cast<std::uint64_t>(size);
    sum += elements;
  }
  return sum;
}

std::string Weights::types() const {
  std::set<std::string> types;
  for (const auto& [name, tensor] : tensors_) types.insert(tensor.type);
  return fmt::format("{}", fmt::join(types, "+"));
}

std::uint64_t Weights::fingerprint() const {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  const auto absorb = [&hash](std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes)
      hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3;
  };
  for (const auto& [name, tensor] : tensors_) {
    constexpr std::size_t kSample = 256;
    absorb(std::as_bytes(std::span(name)));
    absorb(std::as_bytes(std::span(tensor.type)));
    absorb(std::as_bytes(std::span(tensor.shape)));
    absorb(tensor.bytes.first(std::min(kSample, tensor.bytes.size())));
    absorb(tensor.bytes.last(std::min(kSample, tensor.bytes.size())));
  }
  return hash;
}

}  // namespace umf
