// Writes safetensors files: eight bytes of header length, a JSON header, the tensors' bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

// What the header says of one tensor. `dtype` is the format's own name: "F32", "BF16", "F16",
// "I64".
struct TensorHeader {
  std::string name, dtype;
  std::vector<std::int64_t> shape;

  std::uint64_t elements() const;
  std::uint64_t byte_count() const;  // Throws Error for a dtype without a known size.
};

// A file in the making, for checkpoints larger than memory: the tensors' bytes follow in the order
// of the headers, in pieces of any size. close() checks that all of them came.
class SafetensorsStream {
 public:
  SafetensorsStream(const std::filesystem::path& path, const std::vector<TensorHeader>& tensors);
  void append(std::string_view bytes);
  void close();

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::uint64_t expected_ = 0, written_ = 0;
};

struct TensorBytes {
  TensorHeader header;
  std::string bytes;
};

// The whole file at once.
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorBytes>& tensors);

// A file whose header is `header` as it stands, true or not: for the tests of readers.
void write_safetensors_raw(const std::filesystem::path& path, std::string_view header,
                           std::string_view data);

}  // namespace umf
