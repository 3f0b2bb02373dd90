// GGUF files of tiny models, and changes to them that no writer would make.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "gguf/gguf_testing.h"
#include "model/gguf_export.h"
#include "support/tiny_checkpoint.h"

namespace umf {

inline void export_gguf(const std::filesystem::path& from, const std::filesystem::path& out,
                        const std::string& type, int threads = 2) {
  const Location location = find_checkpoint(from);
  write_gguf(open_checkpoint(location), *open_source(location),
             {.out = out, .type = type, .threads = threads});
}

// The file of a tiny model, written on first use.
inline std::filesystem::path tiny_gguf(const std::string& name, const std::string& type = "F32",
                                       const TinyOptions& options = {}) {
  static const TemporaryDirectory root;
  const auto directory = tiny_checkpoint(name, options);
  const auto file = root / (directory.filename().string() + "-" + type + ".gguf");
  if (!std::filesystem::exists(file)) export_gguf(directory, file, type);
  return file;
}

// A file taken apart, to be changed and written again.
class GgufEdit {
 public:
  struct Tensor {
    std::string name, bytes;
    std::uint32_t type;
    std::vector<std::int64_t> sizes;
  };
  std::vector<Tensor> tensors;

  explicit GgufEdit(const std::filesystem::path& file) {
    const std::string whole = read_file(file);
    const Gguf gguf = parse_gguf(std::as_bytes(std::span(whole)), file.string());
    for (const GgufTensor& tensor : gguf.tensors) {
      tensors.push_back({tensor.name,
                         {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()},
                         tensor.type->id,
                         tensor.sizes});
    }
    key_count_ = static_cast<int>(gguf.keys.size());
    const std::string first = GgufBytes().text(tensors.front().name).str();
    keys_ = whole.substr(kHeader, whole.find(first) - kHeader);
  }

  Tensor& tensor(const std::string& name) {
    for (Tensor& each : tensors) {
      if (each.name == name) return each;
    }
    throw Error("no tensor " + name);
  }
  GgufEdit& remove(const std::string& name) {
    std::erase_if(tensors, [&](const Tensor& tensor) { return tensor.name == name; });
    return *this;
  }
  GgufEdit& add(const GgufBytes& key) {
    keys_ += key.str();
    ++key_count_;
    return *this;
  }
  // In the bytes of the keys, once.
  GgufEdit& replace(const GgufBytes& from, const GgufBytes& to) {
    const auto at = keys_.find(from.str());
    EXPECT_NE(at, std::string::npos);
    keys_.replace(at, from.str().size(), to.str());
    return *this;
  }
  // So that nobody knows it.
  GgufEdit& hide(const std::string& key) {
    return replace(GgufBytes().text(key), GgufBytes().text("general." + key));
  }
  GgufEdit& set_flag(const std::string& key, bool value) {
    const auto bytes = [&](bool flag) {
      return GgufBytes().key(key, GgufKind::kBool, static_cast<std::uint8_t>(flag));
    };
    return replace(bytes(!value), bytes(value));
  }

  // The tensors from `first` on, `count` of them, with all keys or none.
  void write(const std::filesystem::path& file, std::size_t first, std::size_t count,
             const GgufBytes& more = {}, int more_count = 0, bool with_keys = true) const {
    GgufBytes out;
    out.header(static_cast<std::int64_t>(count), more_count + (with_keys ? key_count_ : 0));
    out.raw(with_keys ? keys_ : "").raw(more.str());
    std::uint64_t offset = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      out.tensor(tensors[i].name, tensors[i].sizes, tensors[i].type, offset);
      offset += (tensors[i].bytes.size() + 31) / 32 * 32;
    }
    for (std::size_t i = first; i < first + count; ++i) out.align(32).raw(tensors[i].bytes);
    write_file(file, out.align(32).str());
  }
  void write(const std::filesystem::path& file) const { write(file, 0, tensors.size()); }

 private:
  static constexpr std::size_t kHeader = 24;
  std::string keys_;
  int key_count_ = 0;
};

}  // namespace umf
