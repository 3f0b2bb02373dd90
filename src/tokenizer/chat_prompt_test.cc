// The steps from a conversation to prompt pieces that need no tokenizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "support/temporary_directory.h"
#include "tokenizer/chat.h"

namespace umf {
namespace {

using testing::ElementsAre;

const std::vector<std::pair<Token, std::string>> kSpecials = {{1, "<s>"},
                                                              {2, "</s>"},
                                                              {3, "<|im_start|>"},
                                                              {4, "<|im_end|>"},
                                                              {5, "<|im_end|><|im"},
                                                              {6, "<|user|>"},
                                                              {7, "[gMASK]"},
                                                              {8, ""}};

PromptPiece special(Token id, std::string text) { return {id, std::move(text)}; }
PromptPiece plain(std::string text) { return {std::nullopt, std::move(text)}; }

MarkedText all_template(const std::string& text) {
  return {text, std::vector<bool>(text.size(), false)};
}

std::vector<PromptPiece> pieces_of(const std::string& source,
                                   const std::vector<Message>& messages) {
  return split_at_specials(
      render_chat(ChatTemplate(source), messages, true, {{"bos_token", "<s>"}}), kSpecials);
}

TEST(SplitAtSpecials, TakesTheLongestAtEachPlace) {
  EXPECT_THAT(split_at_specials(all_template("<|im_end|>a<|im_end|><|im"), kSpecials),
              ElementsAre(special(4, "<|im_end|>"), plain("a"), special(5, "<|im_end|><|im")));
}

TEST(SplitAtSpecials, KeepsTextThatOnlyBeginsLikeASpecialToken) {
  EXPECT_THAT(split_at_specials(all_template("<<s><|im_"), kSpecials),
              ElementsAre(plain("<"), special(1, "<s>"), plain("<|im_")));
  EXPECT_THAT(split_at_specials(all_template(""), kSpecials), ElementsAre());
}

TEST(SplitAtSpecials, LeavesUserTextThatSpellsSpecialTokensAsText) {
  EXPECT_THAT(pieces_of("<|im_start|>{{ messages[0].content }}<|im_end|>",
                        {{"user", "<|im_end|><s>[gMASK]"}}),
              ElementsAre(special(3, "<|im_start|>"), plain("<|im_end|><s>[gMASK]"),
                          special(4, "<|im_end|>")));
}

TEST(SplitAtSpecials, LetsUserTextNeitherBeginNorEndASpecialToken) {
  EXPECT_THAT(pieces_of("{{ messages[0].content }}|im_end|>", {{"user", "<"}}),
              ElementsAre(plain("<|im_end|>")));
  EXPECT_THAT(pieces_of("<|im_end|{{ messages[0].content }}", {{"user", ">"}}),
              ElementsAre(plain("<|im_end|>")));
}

TEST(SplitAtSpecials, LetsATemplateSpellATokenAroundARole) {
  EXPECT_THAT(pieces_of("{{ bos_token }}<|{{ messages[0].role }}|>x", {{"user", ""}}),
              ElementsAre(special(1, "<s>"), special(6, "<|user|>"), plain("x")));
}

TEST(SplitAtSpecials, TreatsRolesAsUserText) {
  EXPECT_THAT(pieces_of("{{ messages[0].role }}", {{"<s>", ""}}), ElementsAre(plain("<s>")));
}

TEST(RenderChat, ShowsTheTemplateUserTextUnchanged) {
  const std::string source =
      "{{ messages[0].content.split('</think>')[-1] }}{{ messages[0].content | length }}";
  EXPECT_EQ(render_chat(ChatTemplate(source), {{"assistant", "<think>x</think>y"}}, false, {}).text,
            "y17");
}

TEST(RenderChat, GivesAbsentToolsAsNoneAndAbsentTokensAsUndefined) {
  const std::string source =
      "{{ tools is none }} {{ documents is none }} {{ bos_token is defined }} "
      "{{ eos_token }} {{ add_generation_prompt }} {{ messages[0] }}";
  EXPECT_EQ(render_chat(ChatTemplate(source), {{"user", "hi"}}, true, {{"eos_token", "</s>"}}).text,
            "True True False </s> True {'role': 'user', 'content': 'hi'}");
}

class FindChatTemplate : public testing::Test {
 protected:
  const TemporaryDirectory directory_;
  const std::filesystem::path folder_ = directory_.path();
};

TEST_F(FindChatTemplate, PrefersTheJinjaFile) {
  write_file(folder_ / "tokenizer_config.json", R"({"chat_template": "config"})");
  EXPECT_EQ(find_chat_template(folder_), "config");
  write_file(folder_ / "chat_template.jinja", "file");
  EXPECT_EQ(find_chat_template(folder_), "file");
}

TEST_F(FindChatTemplate, TakesTheDefaultOfNamedTemplates) {
  write_file(folder_ / "tokenizer_config.json",
             R"({"chat_template": [{"name": "tool_use", "template": "t"},
                                   {"name": "default", "template": "d"}]})");
  EXPECT_EQ(find_chat_template(folder_), "d");
}

TEST_F(FindChatTemplate, IsAbsentWithoutOne) {
  EXPECT_EQ(find_chat_template(folder_), std::nullopt);
  write_file(folder_ / "tokenizer_config.json", R"({"chat_template": null})");
  EXPECT_EQ(find_chat_template(folder_), std::nullopt);
  write_file(folder_ / "tokenizer_config.json", "{}");
  EXPECT_EQ(find_chat_template(folder_), std::nullopt);
}

TEST_F(FindChatTemplate, RefusesWhatIsNoTemplate) {
  for (const char* config : {R"({"chat_template": 5})", R"({"chat_template": []})",
                             R"({"chat_template": [{"name": "x", "template": "t"}]})",
                             R"({"chat_template": [{"name": "default"}]})", "not json"}) {
    write_file(folder_ / "tokenizer_config.json", config);
    EXPECT_THROW(find_chat_template(folder_), Error) << config;
  }
}

}  // namespace
}  // namespace umf
