// The prompt layouts of the families, for checkpoints without a template of their own
// (docs/models.md#prompts).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "jinja/chat_template.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

std::string rendered(const Family& family, const Json& messages,
                     bool add_generation_prompt = true) {
  return ChatTemplate(family.chat_template)
      .render({{"messages", messages},
               {"add_generation_prompt", add_generation_prompt},
               {"bos_token", "<BOS>"},
               {"eos_token", "<EOS>"}});
}

const Json kHello = {{{"role", "user"}, {"content", " Hello \n"}}};
const Json kWithSystem = {{{"role", "system"}, {"content", "Be brief."}},
                          {{"role", "user"}, {"content", "Hello"}},
                          {{"role", "assistant"}, {"content", "Hi"}},
                          {{"role", "user"}, {"content", "Bye"}}};

TEST(Prompts, LladaTrimsContentAndAlwaysOpensTheAnswer) {
  const std::string expected =
      "<BOS><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
      "<|start_header_id|>assistant<|end_header_id|>\n\n";
  EXPECT_EQ(rendered(kLlada, kHello), expected);
  EXPECT_EQ(rendered(kLlada, kHello, false), expected);
  EXPECT_EQ(rendered(kLlada, kWithSystem),
            "<BOS><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nHi<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

TEST(Prompts, DreamHasADefaultSystemMessageAndKeepsContentAsItIs) {
  EXPECT_EQ(rendered(kDream, kHello),
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
            "<|im_start|>user\n Hello \n<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(rendered(kDream, kWithSystem),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
            "<|im_start|>assistant\nHi<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>"
            "assistant\n");
}

TEST(Prompts, StableDiffcoderFollowsSeedCoder) {
  const std::string text = rendered(kStableDiffcoder, kHello);
  EXPECT_TRUE(text.starts_with(
      "<BOS>system\nYou are an AI programming assistant, utilizing the Seed-Coder model"));
  EXPECT_TRUE(
      text.ends_with("you will refuse to answer.\n\n<EOS><BOS>user\nHello<EOS><BOS>assistant\n"));
  EXPECT_EQ(
      rendered(kStableDiffcoder, kWithSystem),
      "<BOS>system\nBe brief.<EOS><BOS>user\nHello<EOS><BOS>assistant\nHi<EOS><BOS>user\nBye<EOS>"
      "<BOS>assistant\n");
}

TEST(Prompts, TheRewardModelHasNoDefaultSystemMessage) {
  EXPECT_EQ(rendered(kQwenPrm, kHello, false), "<|im_start|>user\n Hello \n<|im_end|>\n");
}

TEST(Prompts, ThoseThatComeFromQwen3HaveNoDefaultSystemMessage) {
  for (const Family* family : {&kSdar, &kDreamReasoner, &kA2d})
    EXPECT_EQ(rendered(*family, kHello),
              "<|im_start|>user\n Hello \n<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(rendered(kFastDllm, kHello), rendered(kDream, kHello));
}

TEST(Prompts, A2dDoesNotThinkAndOthersAreNotTold) {
  const auto prompt = [](const char* name) {
    const Checkpoint checkpoint = open_checkpoint({tiny_checkpoint(name), ""});
    const std::vector<Token> tokens =
        encode_chat(checkpoint.tokenizer, checkpoint.chat_template(), {{"user", "Hello"}}, true);
    return checkpoint.tokenizer.decode(tokens, /*skip_special=*/false);
  };
  const std::string asked = "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(prompt("tiny-a2d"), asked + "<think>\n\n</think>\n\n");
  EXPECT_EQ(prompt("tiny-sdar"), asked);
}

TEST(Prompts, ACheckpointWithoutATemplateUsesItsFamilys) {
  const TemporaryDirectory directory;
  write_tiny_model("tiny-llada", directory / "m");
  const auto path = directory / "m" / "tokenizer_config.json";
  Json config = Json::parse(read_file(path));
  const auto encode = [&] {
    const Checkpoint checkpoint = open_checkpoint({directory / "m", ""});
    return encode_chat(checkpoint.tokenizer, checkpoint.chat_template(), {{"user", "Hello"}}, true);
  };
  const std::vector<Token> own = encode();
  config.erase("chat_template");
  write_file(path, config.dump());
  EXPECT_EQ(encode(), own);
  EXPECT_EQ(own.front(), 280) << "begins with the bos token";
}

}  // namespace
}  // namespace umf
