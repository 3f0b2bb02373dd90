#include "gguf/gguf.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "base/error.h"
#include "gguf/value_reader.h"

namespace umf {
namespace {

constexpr GgufType kTypes[] = {
    {0, "F32", 1, 4},       {1, "F16", 1, 2},       {30, "BF16", 1, 2},    {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},    {6, "Q5_0", 32, 22},    {7, "Q5_1", 32, 24},   {8, "Q8_0", 32, 34},
    {12, "Q4_K", 256, 144}, {13, "Q5_K", 256, 176}, {14, "Q6_K", 256, 210}};

// Other types that files have, so that a refusal can say which it is.
constexpr std::pair<std::uint32_t, std::string_view> kOtherTypes[] = {
    {9, "Q8_1"},     {10, "Q2_K"},  {11, "Q3_K"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"},
    {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"},
    {24, "I8"},      {25, "I16"},   {26, "I32"},    {27, "I64"},   {28, "F64"},     {29, "IQ1_M"},
    {34, "TQ1_0"},   {35, "TQ2_0"}, {39, "MXFP4"},  {40, "NVFP4"}, {41, "Q1_0"},    {42, "Q2_0"}};

constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint32_t kDimensionLimit = 4;
constexpr std::size_t kNameLimit = 63;
// What the smallest key and the smallest tensor take: a count beyond that is a lie.
constexpr std::uint64_t kLeastKey = 8 + 1 + 4 + 1, kLeastTensor = 8 + 1 + 4 + 8 + 4 + 8;

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7E; });
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

class Parser {
 public:
  Parser(std::span<const std::byte> file, const std::string& where) : reader_(file, where) {}

  Gguf parse() {
    const auto [tensor_count, key_count] = read_header();
    for (std::uint64_t i = 0; i < key_count; ++i) read_key();
    for (std::uint64_t i = 0; i < tensor_count; ++i) read_tensor(i);
    place_tensors();
    return std::move(gguf_);
  }

 private:
  std::pair<std::uint64_t, std::uint64_t> read_header() {
    const std::string_view magic = reader_.take(4, "the magic bytes");
    if (magic != "GGUF")
      reader_.fail("it is no GGUF file: it begins with '{}' instead of 'GGUF'", printable(magic));
    const auto version = reader_.number<std::uint32_t>("the version");
    if ((version & 0xFFFF) == 0)
      reader_.fail("it is a big-endian GGUF file, which is not supported; convert it again");
    if (version != 2 && version != 3)
      reader_.fail("GGUF version {} is not supported (2 and 3 are); convert it again", version);
    const auto tensors = read_count("tensors", kLeastTensor);
    return {tensors, read_count("keys", kLeastKey)};
  }

  std::uint64_t read_count(std::string_view of_what, std::uint64_t least_bytes) {
    const std::uint64_t begin = reader_.at();
    const auto count = reader_.number<std::int64_t>("the counts");
    if (count < 0 || static_cast<std::uint64_t>(count) > reader_.left() / least_bytes)
      reader_.fail_at(begin, "{} {} do not fit into the {} bytes that follow", count, of_what,
                      reader_.left());
    return static_cast<std::uint64_t>(count);
  }

  void read_key() {
    const std::uint64_t begin = reader_.at();
    const std::string_view key = reader_.text("a key");
    if (key.empty()) reader_.fail_at(begin, "a key is empty");
    if (!is_printable(key))
      reader_.fail_at(begin, "key '{}' is not printable ASCII", printable(key));
    const std::string name = fmt::format("key '{}'", printable(key));
    GgufValue value = reader_.value(name);
    if (!gguf_.keys.emplace(key, std::move(value)).second)
      reader_.fail_at(begin, "{} is given twice", name);
  }

  void read_tensor(std::uint64_t number) {
    const std::uint64_t begin = reader_.at();
    GgufTensor tensor;
    tensor.name = reader_.text(fmt::format("the name of tensor {}", number));
    const std::string name = fmt::format("tensor '{}'", printable(tensor.name));
    if (tensor.name.empty() || tensor.name.size() > kNameLimit)
      reader_.fail_at(begin, "the name of tensor {} has {} bytes (1 to {} are allowed)", number,
                      tensor.name.size(), kNameLimit);
    if (!is_printable(tensor.name)) reader_.fail_at(begin, "{} is not printable ASCII", name);
    if (!names_.insert(tensor.name).second) reader_.fail_at(begin, "{} is given twice", name);
    read_sizes(name, tensor);
    tensor.type = read_type(name);
    sizes_.push_back(byte_size(name, tensor));
    offsets_.push_back(reader_.number<std::uint64_t>(name));
    gguf_.tensors.push_back(std::move(tensor));
  }

  void read_sizes(const std::string& name, GgufTensor& tensor) {
    const auto dimensions = reader_.number<std::uint32_t>(name);
    if (dimensions < 1 || dimensions > kDimensionLimit)
      reader_.fail("{} has {} dimensions (1 to {} are allowed)", name, dimensions, kDimensionLimit);
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      tensor.sizes.push_back(reader_.number<std::int64_t>(name));
      if (tensor.sizes.back() < 1)
        reader_.fail("{} has the impossible size {}", name, tensor.sizes.back());
    }
  }

  const GgufType* read_type(const std::string& name) {
    const auto id = reader_.number<std::uint32_t>(name);
    const auto known = std::ranges::find(kTypes, id, &GgufType::id);
    if (known != std::end(kTypes)) return known;
    std::vector<std::string_view> supported;
    for (const GgufType& type : kTypes) supported.push_back(type.name);
    const auto* other =
        std::ranges::find(kOtherTypes, id, [](const auto& type) { return type.first; });
    reader_.fail(
        "{} has type {}, which is not supported; files with {} are (published as Q4_K_M, "
        "Q5_K_M, Q6_K, Q8_0, F16 and the like)",
        name,
        other == std::end(kOtherTypes) ? fmt::format("{}", id) : fmt::format("{}", other->second),
        fmt::join(supported, ", "));
  }

  std::uint64_t byte_size(const std::string& name, const GgufTensor& tensor) const {
    const GgufType& type = *tensor.type;
    if (tensor.sizes.front() % type.elements != 0)
      reader_.fail("{} has rows of {} numbers, which are no blocks of {} as {} has them", name,
                   tensor.sizes.front(), type.elements, type.name);
    std::int64_t bytes = tensor.sizes.front() / type.elements;
    bool overflow = __builtin_mul_overflow(bytes, type.bytes, &bytes);
    for (std::size_t i = 1; i < tensor.sizes.size(); ++i)
      overflow |= __builtin_mul_overflow(bytes, tensor.sizes[i], &bytes);
    if (overflow)
      reader_.fail("{} has the impossible shape [{}]", name, fmt::join(tensor.sizes, ", "));
    return static_cast<std::uint64_t>(bytes);
  }

  std::uint64_t read_alignment() const {
    constexpr const char* kKey = "general.alignment";
    const auto found = gguf_.keys.find(kKey);
    if (found == gguf_.keys.end()) return kDefaultAlignment;
    const auto* plain = std::get_if<std::uint64_t>(&found->second);
    if (plain == nullptr || !std::has_single_bit(*plain) || *plain > (1u << 31))
      reader_.fail("key '{}' must be a power of two", kKey);
    return *plain;
  }

  // Gives every tensor its bytes.
  void place_tensors() {
    const std::uint64_t alignment = read_alignment();
    const std::uint64_t begin = rounded_up(reader_.at(), alignment), end = reader_.size();
    const std::uint64_t room = begin < end ? end - begin : 0;
    for (std::size_t i = 0; i < gguf_.tensors.size(); ++i) {
      GgufTensor& tensor = gguf_.tensors[i];
      const std::string name = fmt::format("tensor '{}'", printable(tensor.name));
      if (offsets_[i] % alignment != 0)
        reader_.fail("{} lies at offset {}, which is no multiple of the alignment {}", name,
                     offsets_[i], alignment);
      if (offsets_[i] > room || sizes_[i] > room - offsets_[i])
        reader_.fail(
            "{} lies at offset {} and has {} bytes, but the file holds {} bytes of data "
            "(truncated?)",
            name, offsets_[i], sizes_[i], room);
      tensor.bytes = reader_.bytes(begin + offsets_[i], sizes_[i]);
    }
    check_overlap();
  }

  void check_overlap() const {
    std::vector<const GgufTensor*> order;
    for (const GgufTensor& tensor : gguf_.tensors) order.push_back(&tensor);
    std::ranges::sort(order, {}, [](const GgufTensor* tensor) { return tensor->bytes.data(); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto& before = order[i - 1]->bytes;
      if (before.data() + before.size() > order[i]->bytes.data())
        reader_.fail("tensor '{}' overlaps tensor '{}'", order[i]->name, order[i - 1]->name);
    }
  }

  GgufValueReader reader_;
  Gguf gguf_;
  std::set<std::string> names_;
  std::vector<std::uint64_t> sizes_, offsets_;  // in bytes, by tensor
};

}  // namespace

const GgufType* find_gguf_type(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &GgufType::name);
  return found == std::end(kTypes) ? nullptr : found;
}

Gguf parse_gguf(std::span<const std::byte> file, const std::string& where) {
  return Parser(file, where).parse();
}

std::string printable(std::string_view bytes, std::size_t limit) {
  std::string line;
  for (const char c : bytes.substr(0, limit)) {
    if (c == '\\' || c < 0x20 || c > 0x7E)
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  return bytes.size() > limit ? line + "..." : line;
}

}  // namespace umf
