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
      if (name == "model.embed_tokens.weight" || name == "model.word_embeddings.weight" ||
          name.ends_with("wte.weight"))
        unit(0);
      if (name == "lm_head.weight" || name.ends_with("transformer.ff_out.weight")) unit(100);
      const bool output =
          name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight") ||
          name.ends_with("attn_out.weight") || name.ends_with("attention.dense.weight") ||
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

TEST(Families, Rnd1ReadsThePredictionOfACellOneRowEarlier) {
  EXPECT_EQ(proposals("tiny-rnd1", 6), (std::vector<Token>{100, 100, 101, 102, 103, 104}));
}

TEST(Families, Llada2ReadsThePredictionOfACellInItsOwnRow) {
  EXPECT_EQ(proposals("tiny-llada2", 6), (std::vector<Token>{100, 101, 102, 103, 104, 105}));
}

TEST(Families, FastDllmReadsThePredictionOfACellOneRowEarlierAlsoAcrossBlocks) {
  EXPECT_EQ(proposals("tiny-fdv2", 10),
            (std::vector<Token>{100, 100, 101, 102, 103, 104, 105, 106, 107, 108}));
}

TEST(Families, DreamReasonerIsNotShiftedThoughItsTypeIsDreams) {
  EXPECT_EQ(proposals("tiny-dreamreasoner", 6), (std::vector<Token>{100, 101, 102, 103, 104, 105}));
}

const char* const kBlockModels[] = {"tiny-sdc",  "tiny-sdar",    "tiny-dreamreasoner",
                                    "tiny-fdv2", "tiny-sdarmoe", "tiny-llada2"};

TEST(Families, BlockCausalResultsAreTheSameWithAndWithoutTheCache) {
  for (const char* name : kBlockModels) {
    const auto directory = tiny_checkpoint(name);
    Loaded warm(directory, make_cpu_backend(2, ""));
    const ModelInfo& info = warm.model.info();
    const int block = info.block;
    for (const int prompt : {1, block - 1, block, block + 1, 2 * block}) {
      // A decoding from left to right: each step asks for the masks of one block, with the earlier
      // blocks final. The warm model remembers; a cold one computes everything.
      std::vector<Token> tokens(prompt + 2 * block, info.tokens.mask);
      for (int i = 0; i < prompt; ++i) tokens[i] = 30 + i;
      for (int filled = prompt; filled < static_cast<int>(tokens.size()); ++filled) {
        const int end = std::min((filled / block + 1) * block, static_cast<int>(tokens.size()));
        std::vector<int> positions(end - filled);
        std::iota(positions.begin(), positions.end(), filled);
        const Query query{tokens, positions, {}};
        const auto remembered = warm.model.predict({&query, 1}).front();
        Loaded cold(directory, make_cpu_backend(1, ""));
        EXPECT_EQ(remembered, cold.model.predict({&query, 1}).front())
            << name << " " << prompt << " " << filled;
        tokens[filled] = remembered.front().token;
      }
    }
  }
}

// Rows, not positions: a family that shifts reads the row before.
TEST(Families, BlockCausalBlocksDoNotSeeLaterOnes) {
  for (const char* name : kBlockModels) {
    SCOPED_TRACE(name);
    Loaded loaded(tiny_checkpoint(name), make_cpu_backend(1, ""));
    const int block = loaded.model.info().block, shift = loaded.model.info().shifted ? 1 : 0;
    std::vector<Token> tokens(2 * block + 2);
    std::iota(tokens.begin(), tokens.end(), 40);
    std::vector<int> early(2 * block);
    std::iota(early.begin(), early.end(), shift);
    const auto before = loaded.model.logits(tokens, early);
    tokens[2 * block] = 99;
    EXPECT_EQ(loaded.model.logits(tokens, early), before);
    tokens[2 * block - 1] = 99;
    const auto after = loaded.model.logits(tokens, early);
    const std::size_t rows = block * static_cast<std::size_t>(loaded.model.info().vocabulary);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + rows, after.begin()))
        << "the first block";
    EXPECT_FALSE(std::equal(before.begin() + rows, before.begin() + 2 * rows, after.begin() + rows))
        << "the first row of a block sees its whole block";
  }
}

// The first cell of a block depends on the blocks before it alone, whatever its own block holds.
TEST(Families, TheFirstCellOfAShiftedBlockIsWhatTheBlockBeforeItSays) {
  Loaded loaded(tiny_checkpoint("tiny-fdv2"), make_cpu_backend(1, ""));
  const int block = loaded.model.info().block;
  std::vector<Token> tokens(2 * block);
  std::iota(tokens.begin(), tokens.end(), 40);
  for (const int prompt : {block, 2 * block}) {  // a prompt of whole blocks is enough
    std::vector<Token> before(tokens.begin(), tokens.begin() + prompt);
    before.push_back(loaded.model.info().tokens.mask);
    const std::vector<int> cell = {prompt};
    const auto expected = loaded.model.logits(before, cell);
    before.resize(prompt + block, 99);
    before[prompt] = loaded.model.info().tokens.mask;
    EXPECT_EQ(loaded.model.logits(before, cell), expected) << prompt;
    before[prompt - 1] = 99;
    EXPECT_NE(loaded.model.logits(before, cell), expected) << prompt;
  }
}

// A model with a causal context, asked about one block of 8 cells behind a prompt.
struct BehindAPrompt {
  explicit BehindAPrompt(std::unique_ptr<Backend> backend = make_cpu_backend(1, ""))
      : loaded(tiny_checkpoint("tiny-nemotron"), std::move(backend)) {}

  const ModelInfo& info() const { return loaded.model.info(); }
  // What is said of `cells` of the window.
  std::vector<float> says(const std::vector<Token>& tokens, int prompt,
                          const std::vector<int>& cells) {
    std::vector<int> positions;
    for (const int cell : cells) positions.push_back(prompt + cell);
    return loaded.model.logits(tokens, positions, prompt);
  }

  Loaded loaded;
};

std::vector<Token> counted(int length) {
  std::vector<Token> tokens(length);
  std::iota(tokens.begin(), tokens.end(), 110);
  return tokens;
}

TEST(CausalContext, ResultsAreTheSameWithAndWithoutTheCache) {
  BehindAPrompt warm(make_cpu_backend(2, ""));
  const int block = warm.info().block;
  const Token mask = warm.info().tokens.mask;
  for (const int prompt : {1, block - 1, block, 70, 21}) {
    std::vector<Token> tokens = counted(prompt);
    tokens.resize(prompt + 2 * block + 3, mask);
    for (int cell = 0; cell < 2 * block + 3; ++cell) {
      // Every third block is asked for as a whole, its first cell with it.
      std::vector<int> cells = {cell};
      if (cell % block != 0 || cell == block) {
        cells.resize(std::min((cell / block + 1) * block, 2 * block + 3) - cell);
        std::iota(cells.begin(), cells.end(), cell);
      }
      const auto remembered = warm.says(tokens, prompt, cells);
      BehindAPrompt cold;
      EXPECT_EQ(remembered, cold.says(tokens, prompt, cells)) << prompt << " " << cell;
      tokens[prompt + cell] = 110 + cell;
    }
  }
}

TEST(CausalContext, ABlockSeesItselfBothWaysAndNothingBehindIt) {
  BehindAPrompt model;
  std::vector<Token> tokens = counted(5 + 3 * 8);
  const std::vector<int> cell = {8 + 2};
  const auto before = model.says(tokens, 5, cell);
  tokens[5 + 16] = 99;
  EXPECT_EQ(model.says(tokens, 5, cell), before) << "behind the block";
  tokens[5 + 15] = 99;
  const auto after = model.says(tokens, 5, cell);
  EXPECT_NE(after, before) << "the last cell of the block";
  tokens[5 + 7] = 99;
  EXPECT_NE(model.says(tokens, 5, cell), after) << "the block before";
}

TEST(CausalContext, TheFirstCellOfABlockIsWhatStandsBeforeItSays) {
  BehindAPrompt model;
  for (const int prompt : {1, 8, 13}) {
    std::vector<Token> tokens = counted(prompt + 16);
    for (const int first : {0, 8}) {
      const auto expected = model.says(tokens, prompt, {first});
      std::vector<Token> others = tokens;
      std::fill(others.begin() + prompt + first, others.end(), 99);
      EXPECT_EQ(model.says(others, prompt, {first}), expected) << prompt << " " << first;
      others = tokens;
      others[prompt + first - 1] = 99;
      EXPECT_NE(model.says(others, prompt, {first}), expected) << prompt << " " << first;
    }
  }
}

// The row before a block is what it was before the block was there: the block is seen by itself.
TEST(CausalContext, WhatStandsBeforeABlockIsSeenAsItWasWithoutIt) {
  BehindAPrompt model;
  const std::vector<Token> tokens = counted(13 + 8);
  std::vector<Token> shorter(tokens.begin(), tokens.begin() + 14);
  EXPECT_EQ(model.says(tokens, 13, {0}), model.says(shorter, 13, {0}));
  // And a finished block is part of a context: a longer prompt says the same of the next one.
  std::vector<Token> longer = counted(21 + 8);
  EXPECT_EQ(model.says(longer, 13, {8, 11, 15}), model.says(longer, 21, {0, 3, 7}));
}

TEST(CausalContext, BlocksBeginBehindThePrompt) {
  BehindAPrompt model;
  const std::vector<Token> tokens = counted(24);
  EXPECT_NE(model.says(tokens, 4, {8}), model.says(tokens, 5, {7}));
  const std::vector<float> apart = model.says(tokens, 4, {9}), first = model.says(tokens, 4, {1});
  std::vector<float> both = model.says(tokens, 4, {1, 9});
  EXPECT_TRUE(std::equal(first.begin(), first.end(), both.begin())) << "a pass for each block";
  EXPECT_TRUE(std::equal(apart.begin(), apart.end(), both.begin() + first.size()));
}

TEST(CausalContext, WithoutAPromptTheFirstCellIsReadFromItsOwnRow) {
  BehindAPrompt model;
  std::vector<Token> tokens = counted(8);
  const auto before = model.says(tokens, 0, {0});
  tokens[7] = 99;
  EXPECT_NE(model.says(tokens, 0, {0}), before) << "it sees its block";
}

TEST(CausalContext, AModelWithoutATemplateTakesPlainTextAlone) {
  const TemporaryDirectory directory;
  write_tiny_model("tiny-nemotron", directory / "model");
  EXPECT_TRUE(open_checkpoint({directory / "model", ""}).own_template);
  Json json = parse_json(read_file(directory / "model" / "tokenizer_config.json"), "");
  json.erase("chat_template");
  write_file(directory / "model" / "tokenizer_config.json", json.dump());
  EXPECT_ERROR(open_checkpoint({directory / "model", ""}).chat_template(),
               "has no chat template, and no layout is known for nemotron-diffusion models");
}

// Writes the checkpoint with its q and k matrices scaled, and all q/k norms 1.
void write_scaled(const std::string& tiny, float scale, const std::filesystem::path& directory) {
  write_tiny_model(tiny, directory);
  std::vector<TensorBytes> tensors;
  {
    const Weights weights = Weights::open(directory);
    for (const auto& [name, tensor] : weights.tensors()) {
      std::vector<float> values(tensor.bytes.size() / 4);
      std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      const bool scaled = name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight");
      const bool norm = name.ends_with("q_norm.weight") || name.ends_with("k_norm.weight");
      for (float& value : values) value = norm ? 1 : scaled ? value * scale : value;
      tensors.push_back(
          {{name, "F32", tensor.shape},
           std::string(reinterpret_cast<const char*>(values.data()), tensor.bytes.size())});
    }
  }
  write_safetensors(directory / "model.safetensors", tensors);
}

TEST(Families, TheSizeOfQueriesAndKeysDoesNotMatterBehindANormOfHeads) {
  const auto logits = [](float scale) {
    const TemporaryDirectory directory;
    write_scaled("tiny-sdar", scale, directory / "model");
    Loaded loaded(directory / "model", make_reference_backend());
    const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 13);
    std::vector<int> positions(tokens.size());
    std::iota(positions.begin(), positions.end(), 0);
    return loaded.model.logits(tokens, positions);
  };
  const auto plain = logits(1), scaled = logits(16);
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(scaled[i], plain[i], 1e-4) << i;
  const auto rough = logits(3);
  EXPECT_NE(rough, plain) << "the scale has reached the weights";
}

TEST(Families, ATiedHeadGivesTheSameWhetherTheFileHoldsASpareOneOrNot) {
  const auto logits = [](const TinyOptions& options) {
    Loaded loaded(tiny_checkpoint("tiny-illada", options), make_cpu_backend(1, ""));
    EXPECT_EQ(loaded.model.checkpoint().warnings.size(), options.spare_head ? 1 : 0);
    return loaded.model.logits(sample_tokens(loaded.model.info(), 12), std::vector<int>{0, 5, 11});
  };
  EXPECT_EQ(logits({.spare_head = true}), logits({}));
}

TEST(Families, TheMaskIsFoundWhereverTheFilesHaveIt) {
  const auto mask = [](const char* name, const char* family = "") {
    return open_checkpoint({.folder = tiny_checkpoint(name), .commit = "", .family = family})
        .tokens.mask;
  };
  EXPECT_EQ(mask("tiny-sdar"), 301) << "two spellings, one id";
  EXPECT_EQ(mask("tiny-dreamreasoner"), 301);
  EXPECT_EQ(mask("tiny-illada"), 5) << "by its text";
  EXPECT_EQ(mask("tiny-a2d"), 301) << "by its text";
  EXPECT_EQ(mask("tiny-fdv2"), 301) << "by its text";
  EXPECT_EQ(mask("tiny-open-dcoder", "open-dcoder"), 301) << "by its role";
  EXPECT_EQ(mask("tiny-lladamoe"), 301) << "by its text";
  EXPECT_EQ(mask("tiny-llada2"), 301) << "by its text";
  EXPECT_EQ(mask("tiny-rnd1"), 301);
  EXPECT_EQ(mask("tiny-nemotron"), 100) << "a token without a text of its own";
}

// Whether the prediction of cell 2 changes with a token some cells later.
bool sees_later(const std::string& name, const std::string& family) {
  Loaded loaded(tiny_checkpoint(name), make_cpu_backend(1, ""), family);
  std::vector<Token> tokens(40, 44);
  const std::vector<int> cell = {2};
  const auto before = loaded.model.logits(tokens, cell);
  tokens[35] = 99;
  return loaded.model.logits(tokens, cell) != before;
}

TEST(Families, AFamilyIsWhatItsUserNamesWhereTheFilesDoNotTell) {
  EXPECT_TRUE(sees_later("tiny-a2d", ""));
  EXPECT_FALSE(sees_later("tiny-a2d", "a2d-block"));
  EXPECT_TRUE(sees_later("tiny-open-dcoder", "open-dcoder"));
  const Location blocks = find_checkpoint(tiny_checkpoint("tiny-a2d").string() + "@a2d-block");
  EXPECT_EQ(blocks.family, "a2d-block");
  EXPECT_EQ(open_checkpoint(blocks).architecture.attention.block, 32);
  EXPECT_NE(open_checkpoint(blocks).fingerprint(),
            open_checkpoint({tiny_checkpoint("tiny-a2d"), ""}).fingerprint());
  EXPECT_ERROR(open_checkpoint({tiny_checkpoint("tiny-open-dcoder"), ""}),
               "say so behind its place: @open-dcoder");
  EXPECT_ERROR(
      open_checkpoint(find_checkpoint(tiny_checkpoint("tiny-dream").string() + "@a2d-block")),
      "which models of the family a2d-block are not");
  EXPECT_ERROR(
      open_checkpoint(find_checkpoint(tiny_checkpoint("tiny-dream").string() + "@nothing")),
      "there is no family 'nothing'");
}

// What the files of `tiny` say where their config.json has other values.
std::vector<float> says_as(const std::string& tiny, const Json& changes, const std::string& family,
                           const std::vector<int>& positions) {
  const TemporaryDirectory directory;
  write_tiny_model(tiny, directory / "model");
  const auto config = directory / "model" / "config.json";
  Json json = parse_json(read_file(config), "config.json");
  json.update(changes);
  write_file(config, json.dump());
  Loaded loaded(directory / "model", make_cpu_backend(1, ""), family);
  std::vector<Token> tokens(40);
  std::iota(tokens.begin(), tokens.end(), 40);
  return loaded.model.logits(tokens, positions);
}

// A2D's variants are other families' passes: those have expected values of their own.
TEST(Families, A2dsVariantsComputeWhatTheModelsDoThatTheyAreMadeFrom) {
  const auto of = [](const char* architecture, const char* type, Token mask) {
    return Json{{"architectures", {architecture}}, {"model_type", type}, {"mask_token_id", mask}};
  };
  const Json as_it_is = Json::object();
  const std::vector<int> rows = {0, 7, 31, 32, 38}, cells = {1, 8, 32, 33, 39};
  EXPECT_EQ(says_as("tiny-illada", of("A2DLlamaLMHeadModel", "a2d-llama", 5), "", rows),
            says_as("tiny-illada", as_it_is, "", rows));
  EXPECT_EQ(says_as("tiny-open-dcoder", of("A2DQwen2LMHeadModel", "a2d-qwen2", 301), "", rows),
            says_as("tiny-open-dcoder", as_it_is, "open-dcoder", cells))
      << "in its own rows";
  for (const int block : {8, 32}) {
    Json sdar = of("SDARForCausalLM", "sdar", 301);
    sdar["block_size"] = block;
    EXPECT_EQ(says_as("tiny-a2d", {{"block_size", block}}, "a2d-block", rows),
              says_as("tiny-a2d", sdar, "", rows))
        << block;
  }
  EXPECT_EQ(says_as("tiny-a2d", as_it_is, "a2d-block", rows),
            says_as("tiny-a2d", {{"block_size", 32}}, "a2d-block", rows));
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
