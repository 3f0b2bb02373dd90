#include "server/plain_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/listener_testing.h"
#include "server/masked_text.h"
#include "support/scripted_model.h"
#include "support/temporary_directory.h"
#include "tiny/tiny_models.h"

namespace umf {
namespace {

using testing::ElementsAre;

constexpr int kVocabulary = 320;

const Tokenizer& tokenizer() {
  static const Tokenizer loaded = [] {
    const TemporaryDirectory folder;
    write_tiny_model("tiny-llada", folder / "model");
    return Tokenizer::load(folder / "model");
  }();
  return loaded;
}

ModelInfo scripted_info() {
  ModelInfo info{
      .name = "scripted", .family = "fake", .vocabulary = kVocabulary, .max_length = 512};
  info.tokens.mask = tokenizer().find("<|mdm_mask|>").value();
  info.tokens.end_of_text = tokenizer().find("<|endoftext|>").value();
  info.tokens.ends = {info.tokens.end_of_text};
  info.strategy = "low-confidence";
  return info;
}

// Writes `text` and then its end; surer of the cells to the left, or of those to the right.
ScriptedModel writer(const std::string& text, bool from_the_left) {
  const std::vector<Token> words = tokenizer().encode_bytes(text);
  const ModelInfo info = scripted_info();
  return {info, [=](std::span<const Token> tokens, int position) {
            const int cell = position - 1;  // behind one prompt token
            std::vector<float> logits(kVocabulary, 0);
            const float sureness =
                static_cast<float>(from_the_left ? tokens.size() - cell : cell + 1);
            logits[cell < static_cast<int>(words.size()) ? words[cell] : info.tokens.end_of_text] =
                5 + sureness / 10;
            return logits;
          }};
}

PlainPlan plan_of(int length, std::vector<std::string> stop = {}) {
  PlainPlan plan{.action = recommended_action(scripted_info()), .stop = std::move(stop)};
  plan.decode.length = length;
  return plan;
}

TEST(PlainTask, TheDevicesOwnModelWrites) {
  RecordingListener listener;
  listener.on = 2;
  ScriptedModel here = writer("here", true), there = writer("there", true);
  PlainTask task({{{&here, &tokenizer(), {1}}}}, plan_of(12), [&](int device, std::size_t i) {
    EXPECT_EQ(i, 0);
    return device == 2 ? &there : &here;
  });
  EXPECT_EQ(task.run(listener).choices.front().text, "there");
}

TEST(PlainTask, TextIsSentAsItBecomesFinalFromTheLeft) {
  ScriptedModel model = writer("h\xC3\xA9, you", /*from_the_left=*/true);
  RecordingListener listener;
  const Completion done = PlainTask({{{&model, &tokenizer(), {5}}}}, plan_of(16)).run(listener);
  EXPECT_EQ(done.choices[0].text, "h\xC3\xA9, you");
  EXPECT_EQ(done.choices[0].finish, "stop");
  EXPECT_EQ(listener.joined(0), done.choices[0].text);
  EXPECT_GT(listener.pieces.size(), 3) << "in pieces, not at the end";
  EXPECT_EQ(done.prompt_tokens, 1);
}

TEST(PlainTask, NothingIsSentBeforeTheLeftmostCellIsThere) {
  ScriptedModel model = writer("abc", /*from_the_left=*/false);
  RecordingListener listener;
  const Completion done = PlainTask({{{&model, &tokenizer(), {5}}}}, plan_of(8)).run(listener);
  EXPECT_THAT(listener.pieces, ElementsAre(testing::Pair(0, "abc")));
  EXPECT_EQ(done.nfe, 8);
}

TEST(PlainTask, TextThatMayBeMaskedAgainIsSentAtTheEnd) {
  ScriptedModel model = writer("abc", /*from_the_left=*/true);
  RecordingListener listener;
  PlainPlan plan = plan_of(8, {"c"});
  set_fields(plan.action, "remask=p2");
  const Completion done = PlainTask({{{&model, &tokenizer(), {5}}}}, plan).run(listener);
  EXPECT_THAT(listener.pieces, ElementsAre(testing::Pair(0, "ab")));
  EXPECT_EQ(done.choices[0].finish, "stop");
  EXPECT_EQ(done.nfe, 8) << "nothing is final before the last pass";
}

TEST(PlainTask, TextThatMayBeRewrittenIsSentAtTheEnd) {
  const std::vector<Token> words = tokenizer().encode_bytes("abcz");
  ModelInfo info = scripted_info();
  info.block = 4;
  // Writes z first, and prefers a as soon as there is a b behind it.
  ScriptedModel model(info, [=](std::span<const Token> tokens, int position) {
    std::vector<float> logits(kVocabulary, 0);
    const bool first_thought = position == 1 && tokens[2] == info.tokens.mask;
    logits[words[first_thought ? 3 : position - 1]] = 20 - static_cast<float>(position);
    return logits;
  });
  RecordingListener listener;
  PlainPlan plan = plan_of(3);
  set_fields(plan.action, "edit=0.5");
  const Completion done = PlainTask({{{&model, &tokenizer(), {5}}}}, plan).run(listener);
  EXPECT_THAT(listener.pieces, ElementsAre(testing::Pair(0, "abc")));
  EXPECT_EQ(done.choices[0].text, "abc");
}

TEST(PlainTask, PassesBehindAnEndThatIsFinalAreNotMade) {
  ScriptedModel model = writer("abc", /*from_the_left=*/true);
  RecordingListener listener;
  const Completion done = PlainTask({{{&model, &tokenizer(), {5}}}}, plan_of(64)).run(listener);
  EXPECT_EQ(done.choices[0].text, "abc");
  EXPECT_EQ(done.nfe, static_cast<long>(tokenizer().encode_bytes("abc").size()) + 1);
  EXPECT_EQ(model.forward_passes(), done.nfe);
}

TEST(PlainTask, AStopStringEndsTheDecodingAndIsNotSent) {
  ScriptedModel model = writer("one;two;three", /*from_the_left=*/true);
  RecordingListener listener;
  const Completion done =
      PlainTask({{{&model, &tokenizer(), {5}}}}, plan_of(64, {";t"})).run(listener);
  EXPECT_EQ(done.choices[0].text, "one");
  EXPECT_EQ(done.choices[0].finish, "stop");
  EXPECT_EQ(listener.joined(0), "one");
  EXPECT_LT(done.nfe, 10);
}

TEST(PlainTask, AFullWindowEndsByItsLength) {
  ScriptedModel model = writer("abcdefghijklmnop", /*from_the_left=*/true);
  RecordingListener listener;
  const Completion done = PlainTask({{{&model, &tokenizer(), {5}}}}, plan_of(4)).run(listener);
  EXPECT_EQ(done.choices[0].finish, "length");
  EXPECT_EQ(done.completion_tokens, 4);
}

TEST(PlainTask, SeveralPromptsAndAnswersAreNumbered) {
  ScriptedModel model = writer("ab", /*from_the_left=*/true);
  RecordingListener listener;
  PlainPlan plan = plan_of(8);
  plan.n = 2;
  const Completion done =
      PlainTask({{{&model, &tokenizer(), {5}}}, {{&model, &tokenizer(), {6}}}}, plan).run(listener);
  EXPECT_EQ(done.choices.size(), 4);
  EXPECT_THAT(listener.ends, ElementsAre(testing::Pair(0, "stop"), testing::Pair(1, "stop"),
                                         testing::Pair(2, "stop"), testing::Pair(3, "stop")));
  EXPECT_EQ(done.prompt_tokens, 2) << "each prompt once";
}

// Each writes what it is sure of; the text is sent from the left all the same.
TEST(PlainTask, SeveralModelsWriteOneAnswer) {
  ScriptedModel first = writer("ab", /*from_the_left=*/true);
  ScriptedModel second = writer("ab", /*from_the_left=*/false);
  RecordingListener listener;
  PlainPlan plan = plan_of(8);
  plan.action.commit = {CommitRule::Kind::kTau, 0.9f};
  plan.action.ensemble = Ensemble::kRelay;
  plan.action.others = {{.model = 1, .commit = plan.action.commit}};
  const Completion done =
      PlainTask({{{&first, &tokenizer(), {5}}, {&second, &tokenizer(), {5}}}}, plan).run(listener);
  ASSERT_EQ(done.choices.size(), 1);
  EXPECT_EQ(done.choices[0].text, "ab");
  EXPECT_EQ(done.choices[0].finish, "stop");
  EXPECT_EQ(listener.joined(0), "ab");
  EXPECT_EQ(done.nfe, first.forward_passes() + second.forward_passes());
  EXPECT_EQ(done.prompt_tokens, 1);
}

TEST(PlainTask, AnAnswerThatCouldOnlyBeTheSameIsWrittenOnce) {
  ScriptedModel model = writer("ab", /*from_the_left=*/true);
  RecordingListener listener;
  PlainPlan plan = plan_of(8);
  plan.n = 3;
  const Completion done =
      PlainTask({{{&model, &tokenizer(), {5}}}, {{&model, &tokenizer(), {6}}}}, plan).run(listener);
  ASSERT_EQ(done.choices.size(), 6);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(listener.joined(i), "ab");
  EXPECT_EQ(done.nfe, model.forward_passes());
  EXPECT_EQ(done.completion_tokens, 6 * done.choices[0].tokens);
  EXPECT_EQ(done.umf.dump(), R"({"same_as":[0,0,0,3,3,3]})");

  ScriptedModel again = writer("ab", /*from_the_left=*/true);
  plan.action.temperature = 1;
  const Completion drawn = PlainTask({{{&again, &tokenizer(), {5}}}}, plan).run(listener);
  EXPECT_GT(again.forward_passes(), model.forward_passes());
  EXPECT_TRUE(drawn.umf.is_null());
}

TEST(PlainTask, AnUnwantedDecodingEndsAtTheNextPass) {
  ScriptedModel model = writer("abcdefgh", /*from_the_left=*/true);
  RecordingListener listener;
  listener.patience = 3;
  EXPECT_THROW(PlainTask({{{&model, &tokenizer(), {5}}}}, plan_of(64)).run(listener), Interrupted);
  EXPECT_LE(model.forward_passes(), 3);
}

TEST(PlainTask, StatesShowTextAndMasks) {
  ScriptedModel model = writer("abc", /*from_the_left=*/false);
  RecordingListener listener;
  PlainPlan plan = plan_of(5);
  plan.stream_state = true;
  PlainTask({{{&model, &tokenizer(), {5}}}}, plan).run(listener);
  ASSERT_EQ(listener.states.size(), 5);
  EXPECT_EQ(listener.states[0], Json::parse(R"({"pass": 1, "text": [4]})")) << "the end is there";
  EXPECT_EQ(listener.states[2], Json::parse(R"({"pass": 3, "text": [2, "c"]})"));
  EXPECT_EQ(listener.states[4], Json::parse(R"({"pass": 5, "text": ["abc"]})"));
}

}  // namespace
}  // namespace umf
