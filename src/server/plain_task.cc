#include "server/plain_task.h"

#include <algorithm>

#include "server/masked_text.h"
#include "server/text_stream.h"

namespace umf {
namespace {

// The answer's text as cells become final from the left.
class Writing {
 public:
  Writing(const Tokenizer& tokenizer, const SpecialTokens& tokens, std::vector<std::string> stop)
      : tokenizer_(tokenizer), tokens_(tokens), stream_(std::move(stop)) {}

  // What is new; a committed cell never changes.
  std::string advance(std::span<const Token> window) {
    std::string bytes;
    for (; cell_ < window.size() && window[cell_] != tokens_.mask && !closed_; ++cell_) {
      closed_ = is_end(window[cell_]);
      if (!closed_) bytes += tokenizer_.decode(window.subspan(cell_, 1), /*skip_special=*/true);
    }
    written_ += bytes.size();
    return stream_.push(bytes);
  }
  // Masks that a schedule left behind are skipped.
  std::string finish(std::span<const Token> window) {
    const std::string bytes = answer_text(tokenizer_, tokens_, window);
    return stream_.push(std::string_view(bytes).substr(written_)) + stream_.finish();
  }
  bool settled() const { return closed_ || stream_.stopped(); }
  bool stopped() const { return stream_.stopped(); }

 private:
  bool is_end(Token token) const {
    return std::find(tokens_.ends.begin(), tokens_.ends.end(), token) != tokens_.ends.end();
  }

  const Tokenizer& tokenizer_;
  const SpecialTokens& tokens_;
  TextStream stream_;
  std::size_t cell_ = 0, written_ = 0;
  bool closed_ = false;  // the end of the text is final
};

}  // namespace

PlainTask::PlainTask(Model& model, const Tokenizer& tokenizer,
                     std::vector<std::vector<Token>> prompts, PlainPlan plan)
    : model_(model), tokenizer_(tokenizer), prompts_(std::move(prompts)), plan_(std::move(plan)) {}

Completion PlainTask::run(Listener& listener) {
  Completion completion;
  const bool repeats = plan_.n > 1 && !is_random(plan_.action);
  for (const std::vector<Token>& prompt : prompts_) {
    completion.prompt_tokens += static_cast<long>(prompt.size());
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

void PlainTask::write(int number, const std::vector<Token>& prompt, const Action& action,
                      Listener& listener, Completion& completion) {
  const SpecialTokens& tokens = model_.info().tokens;
  Writing writing(tokenizer_, tokens, plan_.stop);
  Choice choice;
  const auto send = [&](std::string piece) {
    choice.text += piece;
    if (!piece.empty()) listener.text(number, std::move(piece));
  };
  if (!listener.wanted()) throw Interrupted();
  const Decoding decoding = decode(
      model_, prompt, action, plan_.decode, [&](const Decoding& now, std::span<const Commit>) {
        send(writing.advance(now.window));
        if (plan_.stream_state) {
          listener.state(number, {{"pass", now.passes},
                                  {"text", masked_text(now.window, tokenizer_, tokens)}});
        }
        return !writing.settled() && listener.wanted();
      });
  if (decoding.interrupted && !writing.settled()) throw Interrupted();
  send(writing.finish(decoding.window));
  choice.finish = writing.stopped() || has_end(decoding.window, tokens) ? "stop" : "length";
  listener.finished(number, choice.finish, nullptr);
  choice.tokens = answer_tokens(decoding.window, tokens);
  completion.completion_tokens += choice.tokens;
  completion.nfe += decoding.passes;
  completion.choices.push_back(std::move(choice));
}

}  // namespace umf
