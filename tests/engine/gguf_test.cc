// GGUF files as checkpoints: the same numbers as the directories they were made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/engine_fixture.h"
#include "support/expect_error.h"
#include "support/gguf_edit.h"
#include "tokenizer/chat.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kGgufModels[] = {"tiny-llada",     "tiny-llada-gqa",  "tiny-dream",
                                       "tiny-dream-gqa", "tiny-diffucoder", "tiny-lladamoe",
                                       "tiny-rnd1"};

Checkpoint open(const std::filesystem::path& place, UnknownKeys unknown = UnknownKeys::kIgnore) {
  return open_checkpoint(find_checkpoint(place), unknown);
}

std::vector<float> logits(const std::filesystem::path& place) {
  Loaded loaded(place, make_cpu_backend(1, ""));
  const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 12);
  std::vector<int> positions(tokens.size());
  std::iota(positions.begin(), positions.end(), 0);
  return loaded.model.logits(tokens, positions);
}

// A tiny model's file, changed.
class Changed {
 public:
  explicit Changed(const std::string& name) : edit(tiny_gguf(name)) {}
  std::filesystem::path place() const {
    edit.write(directory_ / "model.gguf");
    return directory_ / "model.gguf";
  }
  Checkpoint opened(UnknownKeys unknown = UnknownKeys::kIgnore) const {
    return open(place(), unknown);
  }

  GgufEdit edit;

 private:
  TemporaryDirectory directory_;
};

TEST(GgufModels, F32GivesTheSameLogitsAsTheDirectory) {
  for (const char* name : kGgufModels)
    EXPECT_EQ(logits(tiny_gguf(name)), logits(tiny_checkpoint(name))) << name;
}

TEST(GgufModels, SayTheSameOfTheModelAsTheDirectory) {
  for (const char* name : kGgufModels) {
    const Checkpoint file = open(tiny_gguf(name)), directory = open(tiny_checkpoint(name));
    EXPECT_EQ(file.family, directory.family) << name;
    EXPECT_EQ(file.shifted, directory.shifted) << name;
    EXPECT_EQ(file.tokens.mask, directory.tokens.mask) << name;
    EXPECT_EQ(file.tokens.end_of_text, directory.tokens.end_of_text) << name;
    EXPECT_EQ(file.tokens.end_of_turn, directory.tokens.end_of_turn) << name;
    EXPECT_EQ(file.tokens.padding, directory.tokens.padding) << name;
    EXPECT_EQ(file.tokens.ends, directory.tokens.ends) << name;
    EXPECT_EQ(file.own_template, directory.own_template) << name;
    EXPECT_EQ(file.weights.parameters(), directory.weights.parameters()) << name;
    EXPECT_THAT(file.warnings, IsEmpty()) << name;
    EXPECT_THAT(file.ignored_keys, IsEmpty()) << name;
    const auto prompt = [](const Checkpoint& checkpoint) {
      return encode_chat(checkpoint.tokenizer, checkpoint.chat_template(), {{"user", "Hi 12"}},
                         true);
    };
    EXPECT_EQ(prompt(file), prompt(directory)) << name;
    open(tiny_gguf(name), UnknownKeys::kRefuse);
  }
}

TEST(GgufModels, HalvesAreUsedAsStored) {
  for (const char* type : {"BF16", "F16"}) {
    const TinyOptions options{.dtype = type};
    for (const char* name : {"tiny-llada-gqa", "tiny-dream"})
      EXPECT_EQ(logits(tiny_gguf(name, type, options)), logits(tiny_checkpoint(name, options)))
          << name << " " << type;
  }
}

TEST(GgufModels, HalvesOfWholeNumbersAreNearThem) {
  for (const auto& [type, tolerance] : {std::pair{"F16", 0.02f}, std::pair{"BF16", 0.15f}}) {
    const auto rounded = logits(tiny_gguf("tiny-llada", type));
    const auto exact = logits(tiny_checkpoint("tiny-llada"));
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(rounded[i], exact[i], tolerance);
    EXPECT_NE(rounded, exact);
  }
}

// Checked against the bytes of both files, and not by our own reader.
TEST(GgufModels, RowsOfLladaStandInPairs) {
  GgufEdit file(tiny_gguf("tiny-llada-gqa"));
  const Checkpoint directory = open(tiny_checkpoint("tiny-llada-gqa"));
  const int width = directory.architecture.attention.head_dim;
  const std::size_t row_bytes = directory.architecture.hidden * sizeof(float);
  for (const auto& [gguf, name] :
       {std::pair{"blk.1.attn_q.weight", "q_proj"}, std::pair{"blk.1.attn_k.weight", "k_proj"}}) {
    const StoredTensor& tensor = directory.weights.tensors().at(
        std::string("model.transformer.blocks.1.") + name + ".weight");
    for (int row = 0; row < tensor.shape[0]; ++row) {
      const int head = row / width * width, p = row % 2, j = row % width / 2;
      EXPECT_EQ(std::memcmp(&file.tensor(gguf).bytes[row * row_bytes],
                            &tensor.bytes[(head + p * width / 2 + j) * row_bytes], row_bytes),
                0)
          << gguf << " " << row;
    }
  }
}

// Checked against the bytes of both files: experts are slowest, and routers are never rounded.
TEST(GgufModels, ExpertsStandInStacks) {
  GgufEdit file(tiny_gguf("tiny-rnd1", "F16"));
  const Checkpoint directory = open(tiny_checkpoint("tiny-rnd1"));
  const GgufEdit::Tensor& router = file.tensor("blk.1.ffn_gate_inp.weight");
  const StoredTensor& wanted = directory.weights.tensors().at("model.layers.1.mlp.gate.weight");
  EXPECT_EQ(router.type, find_gguf_type("F32")->id);
  EXPECT_EQ(router.bytes,
            std::string(reinterpret_cast<const char*>(wanted.bytes.data()), wanted.bytes.size()));
  EXPECT_THAT(file.tensor("blk.1.ffn_gate_exps.weight").sizes, ElementsAre(40, 20, 8));
  EXPECT_THAT(file.tensor("blk.1.ffn_down_exps.weight").sizes, ElementsAre(20, 40, 8));
  GgufEdit whole(tiny_gguf("tiny-rnd1"));
  const StoredTensor& sixth =
      directory.weights.tensors().at("model.layers.1.mlp.experts.5.down_proj.weight");
  EXPECT_EQ(std::memcmp(&whole.tensor("blk.1.ffn_down_exps.weight").bytes[5 * sixth.bytes.size()],
                        sixth.bytes.data(), sixth.bytes.size()),
            0);
}

TEST(GgufModels, StacksOfAnotherNumberOfExpertsAreRefused) {
  Changed fewer("tiny-lladamoe");
  GgufEdit::Tensor& stack = fewer.edit.tensor("blk.0.ffn_up_exps.weight");
  stack.sizes.back() = 7;
  stack.bytes.resize(stack.bytes.size() / 8 * 7);
  EXPECT_ERROR(fewer.opened(),
               "tensor 'blk.0.ffn_up_exps.weight' has shape [7, 20, 48], but the "
               "configuration says that there are 8 experts");
}

// An expert's gate rows stand before its up rows.
TEST(GgufModels, OneStackMayHoldGateAndUpOfAllExperts) {
  Changed changed("tiny-lladamoe");
  for (const std::string block : {"blk.0.ffn_", "blk.1.ffn_"}) {
    const GgufEdit::Tensor gate = changed.edit.tensor(block + "gate_exps.weight"),
                           up = changed.edit.tensor(block + "up_exps.weight");
    GgufEdit::Tensor both{block + "gate_up_exps.weight", "", gate.type, gate.sizes};
    both.sizes[1] *= 2;
    const std::size_t one = gate.bytes.size() / gate.sizes[2];
    for (std::size_t at = 0; at < gate.bytes.size(); at += one)
      both.bytes += gate.bytes.substr(at, one) + up.bytes.substr(at, one);
    changed.edit.remove(gate.name).remove(up.name).tensors.push_back(both);
  }
  EXPECT_EQ(logits(changed.place()), logits(tiny_checkpoint("tiny-lladamoe")));
}

TEST(GgufModels, AStackThatIsMissingIsNamedAsTheFormatDoes) {
  for (const char* stack : {"gate", "up", "down"}) {
    Changed changed("tiny-lladamoe");
    const std::string name = std::string("blk.1.ffn_") + stack + "_exps.weight";
    changed.edit.remove(name);
    EXPECT_ERROR(changed.opened(), "tensor '" + name + "' is missing");
  }
}

TEST(GgufModels, ATiedHeadIsNotInTheFile) {
  for (const char* name : {"tiny-llada", "tiny-dream"}) {
    const TinyOptions options{.tied = true};
    const auto file = tiny_gguf(name, "F32", options);
    EXPECT_FALSE(open(file).weights.contains("output.weight"));
    EXPECT_TRUE(open(file).architecture.tied_head);
    EXPECT_EQ(logits(file), logits(tiny_checkpoint(name, options)));
  }
}

TEST(GgufModels, AreReadInParts) {
  const TemporaryDirectory directory;
  const GgufEdit edit(tiny_gguf("tiny-dream"));
  const auto part = [&](int number) {
    return directory / ("m-0000" + std::to_string(number + 1) + "-of-00003.gguf");
  };
  const std::size_t count = edit.tensors.size();
  for (int i = 0; i < 3; ++i) {
    GgufBytes keys;
    keys.key("split.no", GgufKind::kU16, static_cast<std::uint16_t>(i))
        .key("split.count", GgufKind::kU16, std::uint16_t{3})
        .key("split.tensors.count", GgufKind::kI32, static_cast<std::int32_t>(count));
    const std::size_t first = count * i / 3, end = count * (i + 1) / 3;
    edit.write(part(i), first, end - first, keys, 3, i == 0);
  }
  EXPECT_EQ(logits(part(0)), logits(tiny_checkpoint("tiny-dream")));
  EXPECT_EQ(open(part(0)).weights.files(), 3);
  EXPECT_ERROR(open(part(1)), "is part 2 of 3 of a model; give the first: '");
}

TEST(GgufModels, DreamNeedsItsBiases) {
  Changed changed("tiny-dream");
  changed.edit.remove("blk.1.attn_k.bias");
  EXPECT_ERROR(changed.opened(), "tensor 'blk.1.attn_k.bias' is missing: some converters drop");
}

TEST(GgufModels, TheShiftIsTheFamilysUnlessTheFileSaysSomethingElse) {
  const auto expected = logits(tiny_checkpoint("tiny-dream"));
  Changed absent("tiny-dream"), other("tiny-dream");
  absent.edit.hide("diffusion.shift_logits");
  EXPECT_EQ(logits(absent.place()), expected);
  EXPECT_THAT(absent.opened().warnings, IsEmpty());
  other.edit.set_flag("diffusion.shift_logits", false);
  EXPECT_NE(logits(other.place()), expected);
  EXPECT_THAT(other.opened().warnings,
              ElementsAre(HasSubstr("key 'diffusion.shift_logits' is false, but dream models have "
                                    "true; the key is followed")));
  EXPECT_NE(other.opened().fingerprint(), absent.opened().fingerprint());
}

TEST(GgufModels, OneTensorMayHoldQueryKeyAndValueOfDream) {
  Changed changed("tiny-dream-gqa");
  for (const int layer : {0, 1}) {
    const std::string block = "blk." + std::to_string(layer) + ".attn_";
    for (const char* part : {".weight", ".bias"}) {
      GgufEdit::Tensor fused = changed.edit.tensor(block + "q" + part);
      fused.name = block + "qkv" + part;
      for (const char* other : {"k", "v"}) {
        const GgufEdit::Tensor& more = changed.edit.tensor(block + other + part);
        fused.bytes += more.bytes;
        fused.sizes.back() += more.sizes.back();
      }
      for (const char* each : {"q", "k", "v"}) changed.edit.remove(block + each + part);
      changed.edit.tensors.push_back(fused);
    }
  }
  EXPECT_EQ(logits(changed.place()), logits(tiny_checkpoint("tiny-dream-gqa")));
  changed.edit.tensor("blk.0.attn_qkv.bias").sizes.back() -= 8;
  changed.edit.tensor("blk.0.attn_qkv.bias")
      .bytes.resize(changed.edit.tensor("blk.0.attn_qkv.bias").bytes.size() - 32);
  EXPECT_ERROR(changed.opened(), "tensor 'blk.0.attn_qkv.bias' has ");
}

TEST(GgufModels, FrequencyFactorsMustBeOne) {
  Changed changed("tiny-llada");
  const std::vector<float> ones(8, 1);
  std::string bytes(reinterpret_cast<const char*>(ones.data()), 32);
  changed.edit.tensors.push_back({"rope_freqs.weight", bytes, 0, {8}});
  EXPECT_EQ(logits(changed.place()), logits(tiny_checkpoint("tiny-llada")));
  changed.edit.tensors.back().bytes[30] = 0x40;
  EXPECT_ERROR(changed.opened(), "tensor 'rope_freqs.weight' scales the rotation");
}

TEST(GgufModels, UnknownTensorsAreNamed) {
  Changed changed("tiny-llada");
  changed.edit.tensors.push_back({"blk.0.attn_q_norm.weight", std::string(64, '\0'), 0, {16}});
  EXPECT_ERROR(logits(changed.place()), "tensor 'blk.0.attn_q_norm.weight' is not part of this");
  Changed missing("tiny-llada"), misshapen("tiny-llada");
  missing.edit.remove("blk.1.ffn_up.weight");
  EXPECT_ERROR(logits(missing.place()), "tensor 'blk.1.ffn_up.weight' is missing");
  misshapen.edit.tensor("output_norm.weight").sizes = {32, 2};
  EXPECT_ERROR(logits(misshapen.place()), "tensor 'output_norm.weight' has shape [2, 32], but the");
}

TEST(GgufModels, UnknownKeysOfTheArchitectureAreTold) {
  Changed changed("tiny-llada");
  changed.edit.add(GgufBytes().key("llada.surprise", "x"))
      .add(GgufBytes().key("general.surprise", "x"));
  EXPECT_THAT(changed.opened().ignored_keys, ElementsAre("llada.surprise"));
  EXPECT_THAT(changed.opened().warnings, ElementsAre(HasSubstr("key 'llada.surprise' is not known "
                                                               "for this family and ignored")));
  EXPECT_ERROR(changed.opened(UnknownKeys::kRefuse), "key 'llada.surprise' is not known");
}

TEST(GgufModels, OtherArchitecturesAreNamed) {
  for (const char* name : {"llada2", "qwen3", "diffuse", "a\nb"}) {
    Changed changed("tiny-llada");
    changed.edit.replace(GgufBytes().key("general.architecture", "llada"),
                         GgufBytes().key("general.architecture", name));
    EXPECT_ERROR(changed.opened(),
                 "which is not supported in GGUF files (supported: llada, dream, llada-moe, rnd1)");
  }
}

TEST(GgufModels, WhatIsNotComputedIsRefusedByItsKey) {
  const auto with = [](const GgufBytes& key, const std::string& what) {
    Changed changed("tiny-dream");
    changed.edit.add(key);
    EXPECT_ERROR(changed.opened(), what);
  };
  with(GgufBytes().key("dream.rope.scaling.type", "yarn"),
       "key 'dream.rope.scaling.type' is 'yarn', which is not supported");
  with(GgufBytes().key("dream.rope.scaling.factor", GgufKind::kF32, 4.0f),
       "key 'dream.rope.scaling.factor' scales the rotation");
  with(GgufBytes().key("dream.expert_count", GgufKind::kU32, 8u), "key 'dream.expert_count' is 8");
  with(GgufBytes().key("dream.attention.key_length", GgufKind::kU32, 16u),
       "key 'dream.attention.key_length' is 16, which is not supported (only 8");
  with(GgufBytes().key("dream.attention.sliding_window", GgufKind::kU32, 512u),
       "key 'dream.attention.sliding_window' is 512");
  with(GgufBytes().key("dream.logit_scale", GgufKind::kF32, 0.5f),
       "key 'dream.logit_scale' is 0.5");
  with(GgufBytes().key("dream.final_logit_softcapping", GgufKind::kF32, 30.0f),
       "key 'dream.final_logit_softcapping' is 30");
  with(GgufBytes().key("dream.expert_weights_scale", GgufKind::kF32, 2.5f),
       "key 'dream.expert_weights_scale' is 2.5");
  with(GgufBytes().key("general.quantization_version", GgufKind::kU32, 1u),
       "key 'general.quantization_version' must be 2");
  Changed causal("tiny-dream");
  causal.edit.set_flag("dream.attention.causal", true);
  EXPECT_ERROR(causal.opened(), "key 'dream.attention.causal' is true");
}

// What converters write though it changes nothing.
TEST(GgufModels, WhatChangesNothingIsNotTold) {
  Changed mixture("tiny-lladamoe"), dense("tiny-dream");
  mixture.edit.add(GgufBytes().key("llada-moe.expert_weights_scale", GgufKind::kF32, 1.0f))
      .add(GgufBytes().key("llada-moe.expert_weights_norm", GgufKind::kBool, std::uint8_t{1}))
      .add(GgufBytes().key("llada-moe.expert_gating_func", GgufKind::kU32, 1u));
  dense.edit.add(GgufBytes().key("dream.attention.sliding_window", GgufKind::kU32, 0u));
  EXPECT_THAT(mixture.opened(UnknownKeys::kRefuse).warnings, IsEmpty());
  EXPECT_THAT(dense.opened(UnknownKeys::kRefuse).warnings, IsEmpty());
}

TEST(GgufModels, ErrorsNameTheKeysOfTheFile) {
  Changed missing("tiny-llada"), wrong("tiny-llada"), mask("tiny-llada");
  missing.edit.hide("llada.block_count");
  EXPECT_ERROR(missing.opened(), "model.gguf: key 'llada.block_count' is missing");
  wrong.edit.replace(GgufBytes().key("llada.attention.head_count_kv", GgufKind::kU32, 4u),
                     GgufBytes().key("llada.attention.head_count_kv", "four"));
  EXPECT_ERROR(wrong.opened(),
               "key 'llada.attention.head_count_kv' must be an integer, not \"four\"");
  mask.edit.replace(
      GgufBytes().key("tokenizer.ggml.mask_token_id", GgufKind::kU32, 290u),
      GgufBytes().key("tokenizer.ggml.mask_token_id", GgufKind::kU16, std::uint16_t{310}));
  EXPECT_ERROR(mask.opened(), "key 'tokenizer.ggml.mask_token_id' is 310, but");
}

TEST(GgufModels, AMaskThatIsNotSaidIsFoundByItsText) {
  Changed changed("tiny-llada");
  changed.edit.hide("tokenizer.ggml.mask_token_id");
  EXPECT_EQ(changed.opened().tokens.mask, 290);
}

TEST(GgufModels, AVocabularyThatIsNotSaidIsThatOfTheEmbedding) {
  Changed changed("tiny-dream");
  changed.edit.hide("dream.vocab_size");
  EXPECT_EQ(changed.opened().architecture.vocabulary, 320);
}

TEST(GgufModels, AreFoundByTheirPaths) {
  const TemporaryDirectory directory;
  const auto file = directory / "m.gguf";
  std::filesystem::copy(tiny_gguf("tiny-llada"), file);
  const Location location = find_checkpoint(file);
  EXPECT_EQ(location.place(), file.string());
  EXPECT_TRUE(
      location.is(find_checkpoint(directory / "../" / directory.path().filename() / "m.gguf")));
  EXPECT_FALSE(location.is(find_checkpoint(tiny_gguf("tiny-llada"))));
  EXPECT_FALSE(location.is(find_checkpoint(tiny_checkpoint("tiny-llada"))));
  EXPECT_ERROR(find_checkpoint(directory / "absent.gguf"), "there is no file '");
  EXPECT_ERROR(find_checkpoint(directory.path()),
               "has no config.json; give a file of it: '" + file.string() + "'");
  std::filesystem::rename(file, directory / "m.gguf.part1of2");
  EXPECT_ERROR(find_checkpoint(directory / "m.gguf.part1of2"), "join all pieces in order first");
}

}  // namespace
}  // namespace umf
