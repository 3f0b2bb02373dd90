// Checkpoints as people have them: other forms of the files, leftovers, contradictions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/files.h"
#include "base/json.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"
#include "tiny/safetensors_writer.h"

namespace umf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Edit = std::function<void(Json&)>;

void edit_json(const std::filesystem::path& file, const Edit& edit) {
  Json json = parse_json(read_file(file), file.string());
  edit(json);
  write_file(file, json.dump());
}

// A tiny checkpoint of its own, to be changed.
class Changed {
 public:
  explicit Changed(const std::string& name, const TinyOptions& options = {}) {
    write_tiny_model(name, place(), options);
  }
  std::filesystem::path place() const { return directory_ / "model"; }
  Changed& config(const Edit& edit) { return file("config.json", edit); }
  Changed& generation(const Edit& edit) { return file("generation_config.json", edit); }
  // Adds a tensor to the weights, with the numbers of `like` plus `change`.
  Changed& add_tensor(const std::string& name, const std::string& like, float change) {
    std::vector<TensorBytes> tensors;
    const auto add = [&](const std::string& as, const StoredTensor& tensor, float more) {
      std::vector<float> values(tensor.bytes.size() / 4);
      std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
      values.back() += more;
      tensors.push_back({{as, "F32", tensor.shape},
                         {reinterpret_cast<const char*>(values.data()), tensor.bytes.size()}});
    };
    {
      const Weights weights = Weights::open(place());
      for (const auto& [each, tensor] : weights.tensors()) add(each, tensor, 0);
      add(name, weights.tensors().at(like), change);
    }
    write_safetensors(place() / "model.safetensors", tensors);
    return *this;
  }
  Checkpoint open(UnknownKeys unknown = UnknownKeys::kIgnore) const {
    return open_checkpoint({place(), ""}, unknown);
  }

 private:
  Changed& file(const char* name, const Edit& edit) {
    edit_json(place() / name, edit);
    return *this;
  }
  TemporaryDirectory directory_;
};

std::vector<float> logits(const std::filesystem::path& place) {
  Loaded loaded(place, make_cpu_backend(1, ""));
  const std::vector<Token> tokens = sample_tokens(loaded.model.info(), 12);
  std::vector<int> positions(tokens.size());
  std::iota(positions.begin(), positions.end(), 0);
  return loaded.model.logits(tokens, positions);
}

TEST(Checkpoints, TheFormOfTransformers5GivesTheSameNumbers) {
  for (const char* name : kDiffusionModels) {
    const auto renewed = tiny_checkpoint(name, {.transformers5 = true});
    EXPECT_EQ(logits(renewed), logits(tiny_checkpoint(name))) << name;
    const Checkpoint opened = open_checkpoint({renewed, ""}, UnknownKeys::kRefuse);
    EXPECT_THAT(opened.warnings, IsEmpty()) << name;
    EXPECT_EQ(opened.fingerprint(), open_checkpoint({tiny_checkpoint(name), ""}).fingerprint());
  }
  const auto backend = make_cpu_backend(1, "");
  ProcessRewardModel(open_checkpoint({tiny_checkpoint("tiny-prm", {.transformers5 = true}), ""}),
                     *backend);
}

TEST(Checkpoints, ANestedTextConfigurationGivesTheSameNumbers) {
  Changed nested("tiny-dream");
  nested.config([](Json& json) {
    json = {{"architectures", json["architectures"]},
            {"model_type", json["model_type"]},
            {"text_config", json}};
  });
  EXPECT_EQ(logits(nested.place()), logits(tiny_checkpoint("tiny-dream")));
}

TEST(Checkpoints, LeftoversChangeNothingAndAreTold) {
  for (const char* name : kDiffusionModels) {
    const auto place = tiny_checkpoint(name, {.leftovers = true});
    const Checkpoint opened = open_checkpoint({place, ""});
    EXPECT_THAT(opened.ignored_keys, ElementsAre(kTinyLeftovers[0], kTinyLeftovers[1]));
    EXPECT_THAT(opened.ignored_tensors, Contains(HasSubstr("rotary_emb.inv_freq")));
    EXPECT_THAT(opened.warnings, ElementsAre(HasSubstr("keys 'exported_by', 'training_notes' are "
                                                       "not known for this family and ignored")));
    EXPECT_EQ(logits(place), logits(tiny_checkpoint(name))) << name;
    EXPECT_ERROR(open_checkpoint({place, ""}, UnknownKeys::kRefuse),
                 "keys 'exported_by', 'training_notes' are not known for this family; they might");
  }
}

TEST(Checkpoints, UnknownKeysAreToldInOneLine) {
  Changed changed("tiny-dream");
  changed.config([](Json& json) { json["a\nb\x1B[2J"] = 1; });
  EXPECT_THAT(changed.open().warnings,
              ElementsAre(HasSubstr(R"(key 'a\x0Ab\x1B[2J' is not known)")));
}

TEST(Checkpoints, UnknownTensorsAreErrors) {
  Changed changed("tiny-dream");
  changed.add_tensor("model.layers.0.self_attn.q_norm.weight", "model.norm.weight", 0);
  EXPECT_ERROR(
      logits(changed.place()),
      changed.place().string() + ": tensor 'model.layers.0.self_attn.q_norm.weight' is not");
}

TEST(Checkpoints, ATiedHeadIsTheEmbedding) {
  for (const auto& [name, head, embedding] :
       {std::tuple{"tiny-dream", "lm_head.weight", "model.embed_tokens.weight"},
        std::tuple{"tiny-sdc", "lm_head.weight", "model.embed_tokens.weight"},
        std::tuple{"tiny-llada", "model.transformer.ff_out.weight",
                   "model.transformer.wte.weight"}}) {
    const auto tied = tiny_checkpoint(name, {.tied = true});
    EXPECT_FALSE(Weights::open(tied).contains(head));
    const std::vector<float> expected = logits(tied);
    EXPECT_NE(expected, logits(tiny_checkpoint(name)));

    Changed untied(name, {.tied = true});
    untied.add_tensor(head, embedding, 0).config([](Json& json) {
      json["tie_word_embeddings"] = json["weight_tying"] = false;
    });
    EXPECT_EQ(logits(untied.place()), expected) << "a head with the numbers of the embedding";
    EXPECT_NE(untied.open().fingerprint(), open_checkpoint({tied, ""}).fingerprint());
  }
}

TEST(Checkpoints, ATiedHeadMayBeInTheFileToo) {
  const std::vector<float> expected = logits(tiny_checkpoint("tiny-dream", {.tied = true}));
  Changed equal("tiny-dream", {.tied = true}), different("tiny-dream", {.tied = true});
  equal.add_tensor("lm_head.weight", "model.embed_tokens.weight", 0);
  EXPECT_THAT(equal.open().ignored_tensors, ElementsAre("lm_head.weight"));
  EXPECT_THAT(equal.open().warnings, IsEmpty());
  EXPECT_EQ(logits(equal.place()), expected);

  different.add_tensor("lm_head.weight", "model.embed_tokens.weight", 1);
  EXPECT_THAT(different.open().warnings,
              ElementsAre(HasSubstr("'lm_head.weight' differs from it and is ignored")));
  EXPECT_EQ(logits(different.place()), expected) << "config.json decides";

  Changed misshapen("tiny-dream", {.tied = true});
  misshapen.add_tensor("lm_head.weight", "model.norm.weight", 0);
  EXPECT_ERROR(misshapen.open(), "tensor 'lm_head.weight' has shape");
}

TEST(Checkpoints, AHeadThatIsMissingIsNamed) {
  Changed changed("tiny-dream", {.tied = true});
  changed.config([](Json& json) { json["tie_word_embeddings"] = false; });
  EXPECT_ERROR(logits(changed.place()),
               "key 'tie_word_embeddings' is not true, but tensor 'lm_head.weight' is missing");
}

TEST(Checkpoints, EndsOfTheGenerationConfigurationCountWhereTheyAreSpecial) {
  Changed changed("tiny-dream");
  const Token ordinary = 5, special = 284, absent = 9999;
  EXPECT_THAT(changed.open().tokens.ends, Not(Contains(special)));
  changed.generation([&](Json& json) {
    json["eos_token_id"] = {281, special, ordinary, absent, 300};
    json["surely_unknown"] = {1, 2};
  });
  const Checkpoint opened = changed.open(UnknownKeys::kRefuse);
  EXPECT_THAT(opened.tokens.ends, Contains(special));
  EXPECT_THAT(opened.tokens.ends, Not(Contains(ordinary)));
  EXPECT_EQ(opened.tokens.end_of_text, 281);
  EXPECT_THAT(opened.warnings,
              ElementsAre(HasSubstr("names 5, which is the ordinary token"),
                          HasSubstr("names 9999, which is no token of the tokenizer"),
                          HasSubstr("names 300, which is the mask; it does not end an answer")));
}

TEST(Checkpoints, SeveralEndsInTheConfigurationAllEndAnAnswer) {
  Changed changed("tiny-dream");
  changed.config([](Json& json) { json["eos_token_id"] = {281, 284}; });
  const SpecialTokens tokens = changed.open().tokens;
  EXPECT_EQ(tokens.end_of_text, 281);
  EXPECT_THAT(tokens.ends, Contains(284));
}

TEST(Checkpoints, AMaskThatFilesDisagreeAboutIsAnError) {
  Changed changed("tiny-dream");
  changed.generation([](Json& json) { json["mask_token_id"] = 284; });
  EXPECT_ERROR(changed.open(),
               "generation_config.json: key 'mask_token_id' is 284, but the "
               "model's mask is 300");
  changed.generation([](Json& json) { json["mask_token_id"] = 300; });
  EXPECT_THAT(changed.open().warnings, IsEmpty());
}

TEST(Checkpoints, PaddingThatFilesDisagreeAboutIsTold) {
  Changed changed("tiny-dream");
  changed.generation([](Json& json) { json["pad_token_id"] = 284; });
  const Checkpoint opened = changed.open();
  EXPECT_EQ(opened.tokens.padding, 281);
  EXPECT_THAT(opened.warnings, ElementsAre(HasSubstr("'pad_token_id' is 284, but the padding is "
                                                     "281, which is used")));
}

TEST(Checkpoints, ABrokenGenerationConfigurationIsNamed) {
  Changed changed("tiny-dream");
  changed.generation([](Json& json) { json["eos_token_id"] = "end"; });
  EXPECT_ERROR(changed.open(), "generation_config.json: key 'eos_token_id' must be an integer");
  write_file(changed.place() / "generation_config.json", "{");
  EXPECT_ERROR(changed.open(), "generation_config.json");
  std::filesystem::remove(changed.place() / "generation_config.json");
  EXPECT_THAT(changed.open().warnings, IsEmpty());
}

}  // namespace
}  // namespace umf
