#include "tiny/safetensors_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

std::uint64_t dtype_size(const std::string& dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "I32" || dtype == "U32") return 4;
  if (dtype == "F16" || dtype == "BF16" || dtype == "I16" || dtype == "U16") return 2;
  if (dtype == "I8" || dtype == "U8" || dtype == "BOOL") return 1;
  throw Error(
      fmt::format("safetensors: no size is known for dtype '{}'. Use F32, BF16 or F16.", dtype));
}

std::string little_endian(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

// The JSON text, padded with spaces as the reference writer does, so that the data starts aligned.
std::string header_text(const std::vector<TensorHeader>& tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"]["format"] = "pt";
  std::uint64_t offset = 0;
  for (const TensorHeader& tensor : tensors) {
    const std::uint64_t end = offset + tensor.byte_count();
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

std::uint64_t TensorHeader::elements() const {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::uint64_t TensorHeader::byte_count() const { return elements() * dtype_size(dtype); }

SafetensorsStream::SafetensorsStream(const std::filesystem::path& path,
                                     const std::vector<TensorHeader>& tensors)
    : path_(path), file_(path, std::ios::binary | std::ios::trunc) {
  const std::string header = header_text(tensors);
  file_ << little_endian(header.size()) << header;
  if (!file_)
    throw Error(fmt::format("cannot write {}: is the folder there and writable?", path.string()));
  for (const TensorHeader& tensor : tensors) expected_ += tensor.byte_count();
}

void SafetensorsStream::append(std::string_view bytes) {
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  written_ += bytes.size();
}

void SafetensorsStream::close() {
  file_.close();
  if (!file_) throw Error(fmt::format("cannot write {}: is the disk full?", path_.string()));
  if (written_ != expected_)
    throw Error(fmt::format("{}: the headers promise {} bytes of tensors, {} were given",
                            path_.string(), expected_, written_));
}

void write_safetensors(const std::filesystem::path& path, const std::vector<TensorBytes>& tensors) {
  std::vector<TensorHeader> headers;
  for (const TensorBytes& tensor : tensors) headers.push_back(tensor.header);
  SafetensorsStream stream(path, headers);
  for (const TensorBytes& tensor : tensors) stream.append(tensor.bytes);
  stream.close();
}

void write_safetensors_raw(const std::filesystem::path& path, std::string_view header,
                           std::string_view data) {
  write_file(path, little_endian(header.size()) + std::string(header) + std::string(data));
}

}  // namespace umf
