#include "gguf/gguf_writer.h"

#include <cassert>

namespace umf {
namespace {

constexpr std::uint64_t kAlignment = 32;
constexpr std::uint32_t kVersion = 3;

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& bytes, std::string_view text) {
  put<std::uint64_t>(bytes, text.size());
  bytes += text;
}

std::uint64_t padded(std::uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void GgufKeyWriter::begin(std::string_view key, GgufKind kind) {
  put_text(bytes_, key);
  put(bytes_, static_cast<std::uint32_t>(kind));
  ++count_;
}

void GgufKeyWriter::begin_array(std::string_view key, GgufKind kind, std::size_t count) {
  begin(key, GgufKind::kArray);
  put(bytes_, static_cast<std::uint32_t>(kind));
  put<std::uint64_t>(bytes_, count);
}

void GgufKeyWriter::text(std::string_view key, std::string_view value) {
  begin(key, GgufKind::kString);
  put_text(bytes_, value);
}

void GgufKeyWriter::natural(std::string_view key, std::uint32_t value) {
  begin(key, GgufKind::kU32);
  put(bytes_, value);
}

void GgufKeyWriter::number(std::string_view key, float value) {
  begin(key, GgufKind::kF32);
  put(bytes_, value);
}

void GgufKeyWriter::flag(std::string_view key, bool value) {
  begin(key, GgufKind::kBool);
  put<std::uint8_t>(bytes_, value ? 1 : 0);
}

void GgufKeyWriter::texts(std::string_view key, std::span<const std::string> values) {
  begin_array(key, GgufKind::kString, values.size());
  for (const std::string& value : values) put_text(bytes_, value);
}

void GgufKeyWriter::integers(std::string_view key, std::span<const std::int32_t> values) {
  begin_array(key, GgufKind::kI32, values.size());
  for (const std::int32_t value : values) put(bytes_, value);
}

std::uint64_t GgufTensorHeader::bytes() const {
  std::uint64_t bytes = sizes.front() / type->elements * type->bytes;
  for (std::size_t i = 1; i < sizes.size(); ++i) bytes *= sizes[i];
  return bytes;
}

GgufStream::GgufStream(DraftFile& file, const GgufKeyWriter& keys,
                       std::vector<GgufTensorHeader> tensors)
    : file_(file), tensors_(std::move(tensors)) {
  std::string header = "GGUF";
  put(header, kVersion);
  put(header, static_cast<std::int64_t>(tensors_.size()));
  put(header, keys.count());
  header += keys.bytes();
  std::uint64_t offset = 0;
  for (const GgufTensorHeader& tensor : tensors_) {
    put_text(header, tensor.name);
    put(header, static_cast<std::uint32_t>(tensor.sizes.size()));
    for (const std::int64_t size : tensor.sizes) put(header, size);
    put(header, tensor.type->id);
    put(header, offset);
    offset += padded(tensor.bytes());
  }
  file_.append(header);
  pad(header.size());
}

void GgufStream::append(std::span<const std::byte> bytes) {
  assert(tensor_ < tensors_.size());
  file_.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  written_ += bytes.size();
  const std::uint64_t whole = tensors_[tensor_].bytes();
  assert(written_ <= whole);
  if (written_ < whole) return;
  pad(whole);
  written_ = 0;
  ++tensor_;
}

void GgufStream::pad(std::uint64_t written) {
  file_.append(std::string(padded(written) - written, '\0'));
}

}  // namespace umf
