#include "gguf/value_reader.h"

namespace umf {
namespace {

constexpr std::uint64_t kLengthLimit = 1ull << 30;  // of strings and arrays

struct KindFacts {
  std::string_view name;
  std::size_t size;
};
constexpr KindFacts kKinds[] = {{"u8", 1},  {"i8", 1},  {"u16", 2},  {"i16", 2},    {"u32", 4},
                                {"i32", 4}, {"f32", 4}, {"bool", 1}, {"string", 0}, {"array", 0},
                                {"u64", 8}, {"i64", 8}, {"f64", 8}};

}  // namespace

std::size_t size_of(GgufKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(kKinds) ? kKinds[number].size : 0;
}

std::string_view name_of(GgufKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::string_view GgufValueReader::take(std::uint64_t count, std::string_view what) {
  if (count > left())
    fail_at(at_, "the file ends inside {}: it takes {} bytes, {} are left", what, count, left());
  const auto* begin = reinterpret_cast<const char*>(file_.data()) + at_;
  at_ += count;
  return {begin, count};
}

std::string_view GgufValueReader::text(std::string_view what) {
  const std::uint64_t begin = at_;
  const auto length = number<std::uint64_t>(what);
  if (length > kLengthLimit || length > left())
    fail_at(begin, "a text in {} claims {} bytes, but {} follow", what, length, left());
  return take(length, what);
}

GgufKind GgufValueReader::kind(std::string_view what) {
  const std::uint64_t begin = at_;
  const auto number = this->number<std::uint32_t>(what);
  if (number >= std::size(kKinds)) fail_at(begin, "{} has the unknown type {}", what, number);
  return static_cast<GgufKind>(number);
}

GgufValue GgufValueReader::value(std::string_view what) {
  const GgufKind kind = this->kind(what);
  if (kind == GgufKind::kArray) return array(what);
  return scalar(kind, what);
}

GgufValue GgufValueReader::scalar(GgufKind kind, std::string_view what) {
  const auto natural = [](auto value) { return GgufValue(static_cast<std::uint64_t>(value)); };
  const auto whole = [&](auto value) {
    return value < 0 ? GgufValue(static_cast<std::int64_t>(value)) : natural(value);
  };
  switch (kind) {
    case GgufKind::kU8:
      return natural(number<std::uint8_t>(what));
    case GgufKind::kI8:
      return whole(number<std::int8_t>(what));
    case GgufKind::kU16:
      return natural(number<std::uint16_t>(what));
    case GgufKind::kI16:
      return whole(number<std::int16_t>(what));
    case GgufKind::kU32:
      return natural(number<std::uint32_t>(what));
    case GgufKind::kI32:
      return whole(number<std::int32_t>(what));
    case GgufKind::kU64:
      return natural(number<std::uint64_t>(what));
    case GgufKind::kI64:
      return whole(number<std::int64_t>(what));
    case GgufKind::kF32:
      return static_cast<double>(number<float>(what));
    case GgufKind::kF64:
      return number<double>(what);
    case GgufKind::kString:
      return text(what);
    case GgufKind::kBool:
    case GgufKind::kArray:
      break;
  }
  const std::uint64_t begin = at_;
  const auto flag = number<std::uint8_t>(what);
  if (flag > 1) fail_at(begin, "{} is a bool of value {} (0 and 1 are)", what, flag);
  return flag == 1;
}

GgufArray GgufValueReader::array(std::string_view what) {
  const std::uint64_t begin = at_;
  GgufArray array{.kind = kind(what)};
  if (array.kind == GgufKind::kArray)
    fail_at(begin, "{} is an array of arrays, which is not supported", what);
  array.count = number<std::uint64_t>(what);
  const bool texts = array.kind == GgufKind::kString;
  const std::uint64_t least = texts ? 8 : size_of(array.kind);
  if (array.count > kLengthLimit || array.count > left() / least)
    fail_at(begin, "{} claims {} elements of {}, but {} bytes follow", what, array.count,
            name_of(array.kind), left());
  const std::uint64_t first = at_;
  if (texts) {
    for (std::uint64_t i = 0; i < array.count; ++i) text(what);
  } else {
    take(array.count * least, what);
  }
  array.bytes = bytes(first, at_ - first);
  return array;
}

}  // namespace umf
