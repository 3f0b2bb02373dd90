// Chat templates: the bounded subset of Jinja that published checkpoints use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace umf {

// A parsed template. Immutable; render() may be called from several threads.
class ChatTemplate {
 public:
  // Throws Error with line and column when the source uses what is not supported.
  explicit ChatTemplate(const std::string& source);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  // `variables` is an object: messages, add_generation_prompt, bos_token, eos_token, tools, ...
  // Throws Error for raise_exception(), a type error, or when a bound on steps, depth or output is
  // passed.
  std::string render(const Json& variables) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace umf
