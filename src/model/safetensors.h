// Weights by name, mapped and never copied, and where most come from: safetensors files, single or
// sharded. Headers are untrusted.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/tensor.h"
#include "base/folder.h"

namespace umf {

struct StoredTensor {
  std::string type;  // as the file names it: "BF16", "Q4_K"
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;  // inside the mapped file, or a copy
};

// Checks and lists the tensors of one file's bytes: header size, JSON, names, types, shapes, that
// the tensors cover the data exactly and that none overlaps another. `where` names the file in
// errors.
std::map<std::string, StoredTensor> parse_safetensors(std::span<const std::byte> file,
                                                      const std::string& where);

class Weights {
 public:
  // model.safetensors, or model.safetensors.index.json and its shards, or the one *.safetensors.
  static Weights open(const Folder& folder);
  // Tensors in memory that outlives them: for measurements of shapes no disk has room for.
  static Weights in_memory(std::map<std::string, StoredTensor> tensors);
  // Tensors inside of `files` and `copies`; `where` names them in errors.
  static Weights of(std::string where, std::vector<MappedFile> files,
                    std::map<std::string, StoredTensor> tensors,
                    std::vector<std::vector<std::byte>> copies);

  // The tensor as a matrix (or vector, rows = 1) of this exact shape and a type that is computed
  // with, or Error. Vectors are of plain numbers.
  HostTensor matrix(const std::string& name, int rows, int cols) const;
  HostTensor vector(const std::string& name, int size) const;
  // Equal parts of a tensor's first dimension in its place, under these names: matrices of a stack,
  // or groups of a matrix's rows.
  void split(const std::string& name, const std::vector<std::string>& parts);
  bool contains(const std::string& name) const { return tensors_.contains(name); }

  const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  const std::string& where() const { return where_; }  // for errors
  std::uint64_t bytes() const;                         // of all tensors
  std::uint64_t parameters() const;                    // elements of all tensors
  int files() const { return static_cast<int>(files_.size()); }
  std::string types() const;  // the element types present: "BF16", "BF16+F32"
  // Of the headers and a sample of every tensor's bytes: enough to tell two checkpoints apart
  // without reading 16 GB.
  std::uint64_t fingerprint() const;
  // Gives resident memory back; the files stay mapped.
  void release_pages() const {
    for (const MappedFile& file : files_) file.release_pages();
  }

 private:
  HostTensor view(const std::string& name, std::vector<std::int64_t> shape) const;

  std::string where_;
  std::vector<MappedFile> files_;
  std::vector<std::vector<std::byte>> copies_;  // of what does not stand in the files as it is used
  std::map<std::string, StoredTensor> tensors_;
};

}  // namespace umf
