// Guards of the renderer that undo themselves: how deep it is, which scope and output are current.
#pragma once

#include <utility>

#include "jinja/eval.h"

namespace umf::jinja {

class Renderer::Depth {
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
class Renderer::Scope {
 public:
  Scope(Renderer& renderer, Frame* parent)
      : renderer_(renderer), outer_(std::exchange(renderer.frame_, renderer.heap_.frame(parent))) {}
  ~Scope() { renderer_.frame_ = outer_; }

 private:
  Renderer& renderer_;
  Frame* outer_;
};

// Output goes to `text` until the guard is destroyed.
class Renderer::Output {
 public:
  Output(Renderer& renderer, Text& text) : renderer_(renderer), text_(text) {
    std::swap(renderer_.output_, text_);
  }
  ~Output() { std::swap(renderer_.output_, text_); }

 private:
  Renderer& renderer_;
  Text& text_;
};

}  // namespace umf::jinja
