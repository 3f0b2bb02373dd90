// Runs a parsed template.
#pragma once

#include <utility>

#include "jinja/ast.h"
#include "jinja/value.h"

namespace umf::jinja {

class Renderer {
 public:
  // `globals` holds the variables of the caller. All belong to the caller and outlive the renderer.
  Renderer(const Template& source, Heap& heap, Frame* globals)
      : template_(source), heap_(heap), frame_(globals) {}

  // The whole output. Throws Error with line and column.
  Text run();

 private:
  enum class Flow { kNext, kBreak, kContinue };

  // How deep the renderer is, until the guard is destroyed.
  class Depth {
   public:
    explicit Depth(Renderer& renderer) : renderer_(renderer) {
      constexpr int kLimit = 1000;  // a chain of calls this long would endanger the stack
      if (renderer_.depth_ >= kLimit) throw Failure("calls and expressions are nested too deeply");
      ++renderer_.depth_;
    }
    ~Depth() { --renderer_.depth_; }

   private:
    Renderer& renderer_;
  };

  // New variables are visible until the guard is destroyed.
  class Scope {
   public:
    Scope(Renderer& renderer, Frame* parent)
        : renderer_(renderer),
          outer_(std::exchange(renderer.frame_, renderer.heap_.frame(parent))) {}
    ~Scope() { renderer_.frame_ = outer_; }

   private:
    Renderer& renderer_;
    Frame* outer_;
  };

  Flow run(const Block& block);
  Flow run(const Statement& statement);
  Flow run_for(const Statement& loop);
  Flow run_if(const Statement& choice);
  void run_with(const Statement& with);
  Text captured(const Block& block);
  // What the filters of a set or filter block make of its text.
  Value filtered_text(const Statement& block);
  void run_call_block(const Statement& call);
  void print(Value value);
  void write(const Text& text);
  void assign(const Expression& target, Value value);
  void set_attribute(const Expression& target, Value value);

  Value eval(const Expression& expression);
  Value eval_dict(const Expression& dict);
  Value eval_slice(const Expression& slice);
  Value eval_compare(const Expression& compare);
  Value eval_concat(const Expression& concat);
  Value eval_filter(const Expression& filter);
  Value eval_test(const Expression& test);
  Value eval_call(const Expression& call, const Value* caller);
  std::vector<Value> eval_all(const std::vector<const Expression*>& items);
  Arguments eval_arguments(const Expression& call);

  Value call_macro(const Macro& macro, const Arguments& arguments, const Value* caller);
  Value call_function(Function function, const Arguments& arguments);
  Value lookup(const std::string& name) const;
  void define(const std::string& name, Value value);

  const Template& template_;
  Heap& heap_;
  Frame* frame_;
  Text output_;
  std::size_t at_ = 0;  // where the template is, for messages
  int depth_ = 0;
  Value filtered_;  // what a block's innermost filter works on
};

}  // namespace umf::jinja
