// What each family must do beside matching numbers: see both ways, shift, remember, score.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "support/engine_fixture.h"
#include "support/expect_error.h"
#include "tiny/safetensors_writer.h"

namespace umf {
namespace {

// The final hidden states of the first layer alone: further ones mix what the rows have seen.
std::vector<float> one_layer(const std::filesystem::path& directory, AttentionKind kind,
                             const std::vector<Token>& tokens) {
  const Checkpoint checkpoint = open_checkpoint({directory, ""});
  Architecture architecture = checkpoint.architecture;
  architecture.attention.kind = kind;
  architecture.layers = 1;
  std::vector<std::string> unused;
  for (const auto& [name, tensor] : checkpoint.weights.tensors()) unused.push_back(name);
  const auto backend = make_cpu_backend(1, "");
  Transformer transformer(*backend, architecture, checkpoint.family->names, checkpoint.weights,
                          unused);
  std::vector<int> rows(tokens.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<float> states(tokens.size() * architecture.hidden);
  backend->read(transformer.forward(tokens, rows), states);
  return states;
}

TEST(Families, DreamSeesBothWaysWhereACausalModelDoesNot) {
  const auto directory = tiny_checkpoint("tiny-dream");
  const std::vector<Token> tokens = {40, 41, 42, 43, 44, 45};
  const auto full = one_layer(directory, AttentionKind::kFull, tokens);
  const auto causal = one_layer(directory, AttentionKind::kCausal, tokens);
  const std::size_t width = full.size() / tokens.size();
  EXPECT_TRUE(std::equal(full.end() - width, full.end(), causal.end() - width))
      << "the last row sees all";
  EXPECT_FALSE(std::equal(full.begin(), full.begin() + width, causal.begin())) << "the first row";
}

// Writes a checkpoint whose transformer passes embeddings through unchanged: token p has the unit
// vector p, and the head answers unit vector p with token p + 100.
void write_pass_through(const std::string& tiny, const std::filesystem::path& directory) {
  write_tiny_model(tiny, directory);
  const std::string path = directory / "model.safetensors";
  std::vector<TensorBytes> tensors;
  {
    const Weights weights = Weights::open(directory);
    for (const auto& [name, tensor] : weights.tensors()) {
      std::vector<float> values(tensor.bytes.size() / 4);
      std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      const auto unit = [&](int first) {
        std::fill(values.begin(), values.end(), 0.0f);
        for (int p = 0; p < tensor.shape[1] && first + p < tensor.shape[0]; ++p) {
          values[(first + p) * tensor.shape[1] + p] = 1.0f;
        }
      };
      if (name == "model.embed_tokens.weight" || name.ends_with("wte.weight")) unit(0);
      if (name == "lm_head.weight" || name.ends_with("transformer.ff_out.weight")) unit(100);
      const bool output =
          name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight") ||
          name.ends_with("attn_out.weight") ||
          (name.ends_with("ff_out.weight") && name.find("blocks") != std::string::npos);
      if (output) std::fill(values.begin(), values.end(), 0.0f);
      tensors.push_back(
          {{name, "F32", tensor.shape},
           std::string(reinterpret_cast<const char*>(values.data()), tensor.bytes.size())});
    }
  }
  write_safetensors(path, tensors);
}

std::vector<Token> proposals(const std::string& tiny, int length) {
  const TemporaryDirectory directory;
  write_pass_through(tiny, directory / "model");
  Loaded loaded(directory / "model", make_cpu_backend(1, ""));
  std::vector<Token> tokens(length);
  std::vector<int> positions(length);
  std::iota(tokens.begin(), tokens.end(), 0);
  std::iota(positions.begin(), positions.end(), 0);
  const Query query{tokens, positions, {}};
  std::vector<Token> proposed;
  const std::vector<Prediction> predictions = loaded.model.predict({&query, 1}).front();
  for (const Prediction& p : predictions) proposed.push_back(p.token);
  return proposed;
}

TEST(Families, DreamReadsThePredictionOfACellOneRowEarlier) {
  EXPECT_EQ(proposals("tiny-dream", 6), (std::vector<Token>{100, 100, 101, 102, 103, 104}));
}

TEST(Families, LladaReadsThePredictionOfACellInItsOwnRow) {
  EXPECT_EQ(proposals("tiny-llada", 6), (std::vector<Token>{100, 101, 102, 103, 104, 105}));
}

TEST(Families, BlockCausalResultsAreTheSameWithAndWithoutTheCache) {
  const auto directory = tiny_checkpoint("tiny-sdc");
  Loaded warm(directory, make_cpu_backend(2, ""));
  const ModelInfo& info = warm.model.info();
  for (const int prompt : {1, 3, 4, 5, 6, 7, 8}) {
    // A decoding from left to right: each step asks for the masks of one block, with the earlier
    // blocks final. The warm model remembers; a cold one computes everything.
    std::vector<Token> tokens(prompt + 16, info.tokens.mask);
    for (int i = 0; i < prompt; ++i) tokens[i] = 30 + i;
    for (int filled = prompt; filled < static_cast<int>(tokens.size()); ++filled) {
      const int end = std::min((filled / 4 + 1) * 4, static_cast<int>(tokens.size()));
      std::vector<int> positions(end - filled);
      std::iota(positions.begin(), positions.end(), filled);
      const Query query{tokens, positions, {}};
      const auto remembered = warm.model.predict({&query, 1}).front();
      Loaded cold(directory, make_cpu_backend(1, ""));
      EXPECT_EQ(remembered, cold.model.predict({&query, 1}).front()) << prompt << " " << filled;
      tokens[filled] = remembered.front().token;
    }
  }
}

TEST(Families, BlockCausalBlocksDoNotSeeLaterOnes) {
  Loaded loaded(tiny_checkpoint("tiny-sdc"), make_cpu_backend(1, ""));
  std::vector<Token> tokens = {40, 41, 42, 43, 44, 45, 46, 47, 48, 49};
  const std::vector<int> early = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto before = loaded.model.logits(tokens, early);
  tokens[8] = 99;
  EXPECT_EQ(loaded.model.logits(tokens, early), before);
  tokens[7] = 99;
  const auto after = loaded.model.logits(tokens, early);
  const std::size_t block = 4 * static_cast<std::size_t>(loaded.model.info().vocabulary);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + block, after.begin()))
      << "the first block";
  EXPECT_FALSE(
      std::equal(before.begin() + block, before.begin() + 2 * block, after.begin() + block))
      << "position 4 sees its whole block";
}

TEST(Families, ShardsAndSingleFilesGiveTheSameBytes) {
  for (const char* name : kDiffusionModels) {
    Loaded single(tiny_checkpoint(name), make_cpu_backend(1, ""));
    Loaded sharded(tiny_checkpoint(name, {.shards = 3}), make_cpu_backend(1, ""));
    EXPECT_EQ(sharded.model.checkpoint().weights.files(), 3);
    const std::vector<Token> tokens = sample_tokens(single.model.info(), 20);
    const std::vector<int> positions = {0, 7, 19};
    EXPECT_EQ(single.model.logits(tokens, positions), sharded.model.logits(tokens, positions))
        << name;
  }
}

TEST(Families, ThePrmGivesOneScorePerMarkWhateverFollows) {
  const auto backend = make_cpu_backend(2, "");
  ProcessRewardModel model(open_checkpoint({tiny_checkpoint("tiny-prm"), ""}), *backend);
  const Token mark = model.tokenizer().find("<extra_0>").value();
  const auto scores = model.scores(std::vector<Token>{40, 41, mark, 42, 43, 44, mark});
  ASSERT_EQ(scores.size(), 2);
  EXPECT_NE(scores[0], scores[1]);
  EXPECT_EQ(model.scores(std::vector<Token>{40, 41, mark, 42, 43, 44, mark, 45, 46}), scores);
  EXPECT_EQ(model.scores(std::vector<Token>{40, 41, mark, 50, mark}).front(), scores.front());
  EXPECT_TRUE(model.scores(std::vector<Token>{40, 41}).empty());
  EXPECT_EQ(model.scores("What is 1 + 1?", "First step.\n\nSecond step.\n\n\n\nThird.").size(), 3);
  EXPECT_EQ(model.scores("What is 1 + 1?", "").size(), 1);
  EXPECT_EQ(model.scores("Q", "A <extra_0> in the text is no mark.").size(), 1);
}

TEST(Families, ModelsOfTheWrongKindAreRefused) {
  const auto backend = make_reference_backend();
  EXPECT_ERROR(LanguageModel("x", open_checkpoint({tiny_checkpoint("tiny-prm"), ""}), *backend),
               "is a reward model");
  EXPECT_ERROR(ProcessRewardModel(open_checkpoint({tiny_checkpoint("tiny-dream"), ""}), *backend),
               "not a process reward model");
}

TEST(Families, TooLongASequenceIsRefused) {
  Loaded loaded(tiny_checkpoint("tiny-llada"), make_cpu_backend(1, ""));
  const std::vector<Token> tokens(loaded.model.info().max_length + 1, 5);
  const std::vector<int> positions = {0};
  EXPECT_ERROR(loaded.model.logits(tokens, positions), "more than the model's context");
}

}  // namespace
}  // namespace umf
