#include "server/plain_task.h"

#include <algorithm>

#include "search/checkpoints.h"
#include "server/masked_text.h"
#include "server/text_stream.h"

namespace umf {
namespace {

// The answer's text as cells become final from the left. What is committed never changes its bytes,
// also where another model's tokenizer cuts it otherwise; an action that may revise it has its
// text at the end.
class Writing {
 public:
  explicit Writing(std::vector<std::string> stop) : stream_(std::move(stop)) {}

  // What is new.
  std::string advance(std::span<const Token> window, const Lexicon& lexicon) {
    const auto open = std::ranges::find_if(window, [&](Token cell) {
      return cell == lexicon.tokens.mask || ends_text(lexicon.tokens, cell);
    });
    closed_ = open != window.end() && *open != lexicon.tokens.mask;
    return push(window.first(open - window.begin()), lexicon);
  }
  // Masks that a schedule left behind are skipped.
  std::string finish(std::span<const Token> window, const Lexicon& lexicon) {
    return push(window, lexicon) + stream_.finish();
  }
  bool settled() const { return closed_ || stream_.stopped(); }
  bool stopped() const { return stream_.stopped(); }

 private:
  std::string push(std::span<const Token> window, const Lexicon& lexicon) {
    const std::string bytes = answer_text(*lexicon.tokenizer, lexicon.tokens, window);
    const std::string_view fresh = std::string_view(bytes).substr(written_);
    written_ = bytes.size();
    return stream_.push(fresh);
  }

  TextStream stream_;
  std::size_t written_ = 0;
  bool closed_ = false;  // the end of the text is final
};

}  // namespace

PlainTask::PlainTask(std::vector<std::vector<Participant>> prompts, PlainPlan plan,
                     ModelOn model_on)
    : prompts_(std::move(prompts)), plan_(std::move(plan)), model_on_(std::move(model_on)) {}

Completion PlainTask::run(Listener& listener) {
  Completion completion;
  const bool repeats = plan_.n > 1 && !is_random(plan_.action);
  for (std::vector<Participant>& prompt : prompts_) {
    for (std::size_t i = 0; model_on_ && i < prompt.size(); ++i)
      prompt[i].model = model_on_(listener.device(), i);
    completion.prompt_tokens += static_cast<long>(prompt.front().prompt.size());
    const int first = static_cast<int>(completion.choices.size());
    Action action = plan_.action;
    for (int i = 0; i < plan_.n; ++i, ++action.seed) {
      if (i > 0 && repeats)
        repeat(first + i, first, listener, completion);
      else
        write(first + i, prompt, action, listener, completion);
      if (repeats) completion.umf["same_as"].push_back(first);
    }
  }
  return completion;
}

void PlainTask::repeat(int number, int first, Listener& listener, Completion& completion) {
  const Choice choice = completion.choices[first];
  if (!choice.text.empty()) listener.text(number, choice.text);
  listener.finished(number, choice.finish, {{"same_as", first}});
  completion.completion_tokens += choice.tokens;
  completion.choices.push_back(choice);
}

void PlainTask::write(int number, const std::vector<Participant>& prompt, const Action& action,
                      Listener& listener, Completion& completion) {
  const Participant& first = prompt.front();
  std::vector<Lexicon> lexicons = {{first.tokenizer, first.model->info().tokens}};
  Writing writing(plan_.stop);
  Choice choice;
  const auto send = [&](std::string piece) {
    choice.text += piece;
    if (!piece.empty()) listener.text(number, std::move(piece));
  };
  const auto follow = [&](const Decoding& now, std::span<const Commit>) {
    const Lexicon& lexicon = lexicons[now.lexicon];
    if (!revises(action)) send(writing.advance(now.window, lexicon));
    if (plan_.stream_state) {
      listener.state(number,
                     {{"pass", now.passes},
                      {"text", masked_text(now.window, *lexicon.tokenizer, lexicon.tokens)}});
    }
    return !writing.settled() && listener.wanted();
  };
  if (!listener.wanted()) throw Interrupted();
  const Decoding decoding = [&] {
    if (prompt.size() == 1) return decode(*first.model, first.prompt, action, plan_.decode, follow);
    const WalkSetup setup(prompt, {action},
                          {.window = plan_.decode.length,
                           .ratios = {std::begin(kPaperRatios), std::end(kPaperRatios)},
                           .block_length = plan_.decode.block_length});
    lexicons = setup.lexicons();
    return decode_together(setup, follow);
  }();
  if (decoding.interrupted && !writing.settled()) throw Interrupted();
  const Lexicon& lexicon = lexicons[decoding.lexicon];
  send(writing.finish(decoding.window, lexicon));
  choice.finish = writing.stopped() || has_end(decoding.window, lexicon.tokens) ? "stop" : "length";
  listener.finished(number, choice.finish, nullptr);
  choice.tokens = answer_tokens(decoding.window, lexicon.tokens);
  completion.completion_tokens += choice.tokens;
  completion.nfe += decoding.passes;
  completion.choices.push_back(std::move(choice));
}

}  // namespace umf
