// Small tokenizers for tests, and the published one where its files lie beside the checkout.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "support/temporary_directory.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/tokenizer.h"

namespace umf {

class TemporaryFolder : public TemporaryDirectory {
 public:
  void write(const std::string& name, const std::string& bytes) const {
    write_file(path() / name, bytes);
  }
};

// Byte b has id b; then the merges in order: "h e", "l l", "he ll", "hell o", "Ġ w", "Ġ Ġ" (256 to
// 261).
inline Json small_vocab() {
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte)
    vocab[alphabet_char(static_cast<unsigned char>(byte))] = byte;
  int next = 256;
  for (const char* token : {"he", "ll", "hell", "hello", "Ġw", "ĠĠ"}) vocab[token] = next++;
  return vocab;
}
inline const std::vector<std::string> kSmallMerges = {"h e",    "l l", "he ll",
                                                      "hell o", "Ġ w", "Ġ Ġ"};

inline Json small_tokenizer() {
  Json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return {{"version", "1.0"},
          {"added_tokens", Json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", byte_level},
          {"post_processor", nullptr},
          {"decoder", byte_level},
          {"model", {{"type", "BPE"}, {"vocab", small_vocab()}, {"merges", kSmallMerges}}}};
}

inline Json added_token(Token id, const std::string& content) {
  return {{"id", id}, {"content", content}, {"special", false}, {"normalized", false}};
}

inline Json split_rule(const std::string& regex) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", regex}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

inline Tokenizer parse(const Json& json) { return Tokenizer::parse(json.dump(), "tokenizer.json"); }

// What the Error says that `action` throws; "" when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline std::string refusal(const Json& json) {
  return error_of([&] { parse(json); });
}

// Unpacks `files` of the shared Qwen2.5 tokenizer into `folder`; false when they are not there.
inline bool unpack_qwen(const TemporaryFolder& folder, const std::vector<std::string>& files) {
  const std::filesystem::path shared = UMF_SOURCE_DIR "/../shared/data/tokenizers/qwen2_5";
  for (const std::string& name : files) {
    const auto packed = shared / (name + ".gz");
    if (!std::filesystem::exists(packed)) return false;
    const std::string command =
        "gzip -dc '" + packed.string() + "' > '" + (folder.path() / name).string() + "'";
    if (std::system(command.c_str()) != 0) return false;
  }
  return true;
}

}  // namespace umf
