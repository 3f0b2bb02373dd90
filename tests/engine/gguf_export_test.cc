// Writing GGUF files: types, mixes, the same bytes every time, and failures that leave nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <numeric>

#include "backend/quantise.h"
#include "model/gguf_architecture.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"
#include "support/gguf_edit.h"
#include "tiny/safetensors_writer.h"

namespace umf {
namespace {

// Rows of 256 in every matrix.
std::filesystem::path wide_checkpoint(TinyFamily family, int layers = 2, int mlp = 512) {
  static const TemporaryDirectory root;
  TinySpec spec = custom_spec(family);
  spec.layers = layers;
  spec.hidden = 256;
  spec.heads = 4;
  spec.kv_heads = 2;
  spec.head_dim = 0;
  spec.mlp = mlp;
  spec.expert_width = 256;
  spec.weight_std = 0.1;
  const auto place = root / (std::to_string(static_cast<int>(family)) + "-" +
                             std::to_string(layers) + "-" + std::to_string(mlp));
  if (!std::filesystem::exists(place)) write_random_model(spec, place);
  return place;
}

std::map<std::string, std::string> types_of(const std::filesystem::path& file) {
  std::map<std::string, std::string> types;
  const Checkpoint checkpoint = open_checkpoint(find_checkpoint(file));
  for (const auto& [name, tensor] : checkpoint.weights.tensors()) types[name] = tensor.type;
  return types;
}

std::vector<float> logits(const std::filesystem::path& place) {
  Loaded loaded(place, make_reference_backend());
  const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 6);
  std::vector<int> positions(tokens.size());
  std::iota(positions.begin(), positions.end(), 0);
  return loaded.model.logits(tokens, positions);
}

// The same model with its numbers as the GGUF file has them, in F32.
void write_dequantised(const std::filesystem::path& file, const std::filesystem::path& directory,
                       const std::filesystem::path& out) {
  std::filesystem::copy(directory, out);
  const TensorNames &names = gguf_tensor_names(), own = open_checkpoint({directory, ""}).names;
  const Checkpoint checkpoint = open_checkpoint(find_checkpoint(file));
  const std::pair<std::string, std::string> kTops[] = {
      {names.embedding, own.embedding}, {names.final_norm, own.final_norm}, {names.head, own.head}};
  const std::pair<std::string, std::string> kInside[] = {{names.attention_norm, own.attention_norm},
                                                         {names.query_norm, own.query_norm},
                                                         {names.key_norm, own.key_norm},
                                                         {names.experts.router, own.experts.router},
                                                         {names.query, own.query},
                                                         {names.key, own.key},
                                                         {names.value, own.value},
                                                         {names.attention_out, own.attention_out},
                                                         {names.mlp_norm, own.mlp_norm},
                                                         {names.gate, own.gate},
                                                         {names.up, own.up},
                                                         {names.down, own.down}};
  const auto renamed = [&](const std::string& name) {
    if (const auto at = name.find(names.experts.expert); at != std::string::npos) {
      const auto dot = name.find('.', at + names.experts.expert.size());
      const std::string layer = name.substr(names.layer.size(), at - names.layer.size()),
                        number = name.substr(at + names.experts.expert.size(),
                                             dot + 1 - at - names.experts.expert.size()),
                        matrix = name.substr(dot + 1);
      return own.layer + layer + own.experts.expert + number +
             (matrix == names.experts.gate ? own.experts.gate
              : matrix == names.experts.up ? own.experts.up
                                           : own.experts.down);
    }
    for (const auto& [gguf, other] : kTops) {
      if (name == gguf) return other;
    }
    const auto dot = name.find('.', names.layer.size());
    const std::string rest = name.substr(dot + 1);
    for (const auto& [gguf, other] : kInside) {
      if (rest.starts_with(gguf))
        return own.layer + name.substr(names.layer.size(), dot + 1 - names.layer.size()) + other +
               rest.substr(gguf.size());
    }
    return name;
  };
  std::vector<TensorBytes> tensors;
  for (const auto& [name, tensor] : checkpoint.weights.tensors()) {
    const bool vector = tensor.shape.size() == 1;
    const int cols = static_cast<int>(tensor.shape.back());
    const int rows = vector ? 1 : static_cast<int>(tensor.shape.front());
    const HostTensor host = vector ? checkpoint.weights.vector(name, cols)
                                   : checkpoint.weights.matrix(name, rows, cols);
    std::vector<float> numbers(static_cast<std::size_t>(rows) * cols);
    for (int row = 0; row < rows; ++row)
      read_row(host, row, std::span(numbers).subspan(static_cast<std::size_t>(row) * cols, cols));
    tensors.push_back({{renamed(name), "F32", tensor.shape},
                       {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4}});
  }
  write_safetensors(out / "model.safetensors", tensors);
}

class GgufTypes : public testing::TestWithParam<const char*> {};

TEST_P(GgufTypes, LogitsAreThoseOfTheNumbersThatTheBlocksHold) {
  for (const TinyFamily family : {TinyFamily::kLlada, TinyFamily::kDream, TinyFamily::kRnd1}) {
    const TemporaryDirectory directory;
    const auto file = directory / "m.gguf";
    export_gguf(wide_checkpoint(family), file, GetParam());
    write_dequantised(file, wide_checkpoint(family), directory / "plain");
    EXPECT_EQ(logits(file), logits(directory / "plain"));
    const auto types = types_of(file);
    EXPECT_EQ(types.at("blk.0.attn_q.weight"), GetParam());
    EXPECT_EQ(types.at("token_embd.weight"), GetParam());
    EXPECT_EQ(types.at("output.weight"), GetParam());
    EXPECT_EQ(types.at("blk.0.attn_norm.weight"), "F32");
  }
}

INSTANTIATE_TEST_SUITE_P(Quantised, GgufTypes,
                         testing::Values("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0",
                                         "Q5_1", "Q4_K", "Q5_K", "Q6_K"),
                         [](const auto& info) { return std::string(info.param); });

TEST(GgufExport, MixesGiveSomeMatricesMoreBits) {
  const TemporaryDirectory directory;
  const auto file = directory / "m.gguf";
  export_gguf(wide_checkpoint(TinyFamily::kLlada, 16, 256), file, "Q4_K_M");
  const auto types = types_of(file);
  EXPECT_EQ(types.at("output.weight"), "Q6_K");
  EXPECT_EQ(types.at("token_embd.weight"), "Q4_K");
  std::string better;
  for (int n = 0; n < 16; ++n) {
    const std::string block = "blk." + std::to_string(n) + ".";
    EXPECT_EQ(types.at(block + "attn_v.weight"), types.at(block + "ffn_down.weight"));
    EXPECT_EQ(types.at(block + "attn_k.weight"), "Q4_K");
    EXPECT_EQ(types.at(block + "ffn_up.weight"), "Q4_K");
    if (types.at(block + "attn_v.weight") == "Q6_K") better += std::to_string(n) + " ";
  }
  EXPECT_EQ(better, "0 1 4 7 10 13 14 15 ");
}

TEST(GgufExport, RowsThatAreNoBlocksGetAnotherType) {
  const TemporaryDirectory directory;
  const auto wide = wide_checkpoint(TinyFamily::kLlada, 2, 352);
  for (const auto& [type, instead] : {std::pair{"Q4_K", "Q5_0"}, std::pair{"Q5_K", "Q5_1"},
                                      std::pair{"Q6_K", "Q8_0"}, std::pair{"Q8_0", "Q8_0"}}) {
    export_gguf(wide, directory / "m.gguf", type);
    EXPECT_EQ(types_of(directory / "m.gguf").at("blk.0.ffn_down.weight"), instead);
    EXPECT_EQ(types_of(directory / "m.gguf").at("blk.0.ffn_up.weight"), type);
  }
  export_gguf(tiny_checkpoint("tiny-dream"), directory / "m.gguf", "Q8_0");
  EXPECT_EQ(types_of(directory / "m.gguf").at("blk.0.ffn_down.weight"), "F16") << "152 columns";
}

TEST(GgufExport, BytesAreTheSameForAnyNumberOfThreads) {
  const TemporaryDirectory directory;
  for (const int threads : {1, 3})
    export_gguf(wide_checkpoint(TinyFamily::kDream), directory / std::to_string(threads), "Q4_K_M",
                threads);
  EXPECT_EQ(read_file(directory / "1"), read_file(directory / "3"));
}

TEST(GgufExport, AGgufFileIsACheckpointToo) {
  const TemporaryDirectory directory;
  export_gguf(tiny_gguf("tiny-llada-gqa"), directory / "again.gguf", "F32");
  EXPECT_EQ(read_file(directory / "again.gguf"), read_file(tiny_gguf("tiny-llada-gqa")));
}

TEST(GgufExport, FingerprintsTellTypesApart) {
  const auto fingerprint = [](const char* type) {
    return open_checkpoint(find_checkpoint(tiny_gguf("tiny-llada", type))).fingerprint();
  };
  EXPECT_NE(fingerprint("F32"), fingerprint("F16"));
  EXPECT_NE(fingerprint("F16"), fingerprint("BF16"));
}

std::size_t files_in(const TemporaryDirectory& directory) {
  return std::distance(std::filesystem::directory_iterator(directory.path()), {});
}

TEST(GgufExport, WhatCannotBeWrittenIsNamed) {
  const TemporaryDirectory directory;
  const auto out = directory / "m.gguf";
  EXPECT_ERROR(export_gguf(tiny_checkpoint("tiny-sdc"), out, "F32"),
               "is a stable-diffcoder model; GGUF files are written of llada, dream");
  EXPECT_ERROR(export_gguf(tiny_checkpoint("tiny-llada"), out, "Q3_K"),
               "'Q3_K' is no type to write (there are F32, F16, BF16, Q8_0, ");
  EXPECT_ERROR(export_gguf(tiny_checkpoint("tiny-llada"), directory.path(), "F32"), "is no file");
  EXPECT_ERROR(export_gguf(tiny_checkpoint("tiny-llada"), directory / "no/m.gguf", "F32"),
               "cannot write '");
  EXPECT_EQ(files_in(directory), 0u);
}

// Dream's files have no key for how wide a head is.
TEST(GgufExport, HeadsOfAWidthOfTheirOwnAreRefusedWhereTheFormatCannotSayThem) {
  const TemporaryDirectory directory;
  TinySpec spec = custom_spec(TinyFamily::kDream);
  spec.head_dim = 32;
  write_random_model(spec, directory / "model");
  const auto config = directory / "model" / "config.json";
  Json json = parse_json(read_file(config), "config.json");
  json["head_dim"] = 32;
  write_file(config, json.dump());
  EXPECT_ERROR(export_gguf(directory / "model", directory / "m.gguf", "F32"),
               "its heads are not as wide as the embedding shared by them");
}

TEST(GgufExport, NumbersThatTheTypeCannotHoldAreRefused) {
  const TemporaryDirectory directory;
  GgufEdit edit(tiny_gguf("tiny-llada"));
  const float large = 1e6f;
  std::memcpy(edit.tensor("blk.1.ffn_up.weight").bytes.data() + 80, &large, sizeof large);
  edit.write(directory / "large.gguf");
  for (const char* type : {"F16", "Q8_0"})
    EXPECT_ERROR(export_gguf(directory / "large.gguf", directory / "m.gguf", type),
                 "'blk.1.ffn_up.weight' has the number 1000000, which ");
  EXPECT_EQ(files_in(directory), 1u);
  export_gguf(directory / "large.gguf", directory / "m.gguf", "BF16");
}

TEST(GgufExport, AFullDiskLeavesNothing) {
  const TemporaryDirectory directory;
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const auto from = tiny_checkpoint("tiny-llada");
  const struct rlimit small { 100'000, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_ERROR(export_gguf(from, directory / "m.gguf", "F32"), "cannot write '");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(files_in(directory), 0u);
}

TEST(GgufExport, WhatTheProgressThrowsEndsTheWriting) {
  const TemporaryDirectory directory;
  const Location location = find_checkpoint(tiny_checkpoint("tiny-llada"));
  EXPECT_ERROR(write_gguf(open_checkpoint(location), *open_source(location),
                          {.out = directory / "m.gguf",
                           .type = "F32",
                           .progress = [](auto, auto) { throw Error("enough"); }}),
               "enough");
  EXPECT_EQ(files_in(directory), 0u);
}

}  // namespace
}  // namespace umf
