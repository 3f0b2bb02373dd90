// Chat templates: the bounded subset of Jinja that published checkpoints use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace umf {

namespace jinja {
struct Template;
}

// Keeps the order of keys, in which a template prints an object.

// Rendered text that remembers where it comes from.
struct MarkedText {
  std::string text;
  std::vector<bool> user;  // for every byte of `text`: whether it comes from the user's variables
};

// A parsed template. Immutable; render() may be called from several threads.
class ChatTemplate {
 public:
  // Throws Error with line and column when the source uses what is not supported.
  explicit ChatTemplate(const std::string& source);

  // `variables` is an object: messages, add_generation_prompt, bos_token, eos_token, tools, ...
  // Throws Error for raise_exception(), a type error, or when a bound on steps, depth or output is
  // passed.
  std::string render(const Json& variables) const;

  // As render() with the variables of both objects. The bytes that come from strings of `user` are
  // marked, through whatever the template does to them: so a prompt's special tokens can be told
  // from user text that merely spells them.
  MarkedText render_marked(const OrderedJson& trusted, const OrderedJson& user) const;

 private:
  std::shared_ptr<const jinja::Template> template_;
};

}  // namespace umf
