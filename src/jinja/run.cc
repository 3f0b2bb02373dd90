// Statements; expressions are in eval.cc.
#include <fmt/core.h>

#include "jinja/eval.h"
#include "jinja/print.h"

namespace umf::jinja {

namespace {

using Kind = Statement::Kind;

constexpr std::size_t kOutputLimit = 1 << 24;

}  // namespace

Text Renderer::run() {
  try {
    run(template_.body);
    return std::move(output_);
  } catch (const Failure& failure) {
    throw error_at(template_.source, at_, failure.what());
  }
}

Renderer::Flow Renderer::run(const Block& block) {
  for (const Statement* statement : block) {
    if (const Flow flow = run(*statement); flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Renderer::Flow Renderer::run(const Statement& statement) {
  const Depth depth(*this);
  heap_.spend(1);
  at_ = statement.at;
  switch (statement.kind) {
    case Kind::kText:
      write(statement.text);
      break;
    case Kind::kPrint:
      print(eval(*statement.expressions[0]));
      break;
    case Kind::kFor:
      return run_for(statement);
    case Kind::kIf:
      return run_if(statement);
    case Kind::kSet:
      assign(*statement.targets[0], eval(*statement.expressions[0]));
      break;
    case Kind::kSetBlock:
      assign(*statement.targets[0], filtered_text(statement));
      break;
    case Kind::kMacro:
      define(statement.name, heap_.macro(&statement, frame_));
      break;
    case Kind::kCallBlock:
      run_call_block(statement);
      break;
    case Kind::kFilterBlock:
      print(filtered_text(statement));
      break;
    case Kind::kWith:
      run_with(statement);
      break;
    case Kind::kScope: {
      const Scope scope(*this, frame_);
      return run(statement.blocks[0]);
    }
    case Kind::kBreak:
      return Flow::kBreak;
    case Kind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

Renderer::Flow Renderer::run_for(const Statement& loop) {
  static const std::string kLoop = "loop";
  const Value iterable = eval(*loop.expressions[0]);
  at_ = loop.at;
  std::vector<Value> items = items_of(heap_, iterable);
  const Expression* condition = loop.expressions[1];
  const auto is_wanted = [&](Value item) {
    const Scope scope(*this, frame_);
    assign(*loop.targets[0], item);
    return truth(eval(*condition));
  };
  // Where the body asks about the loop, its items have to be known beforehand; elsewhere a
  // condition is asked in its turn, and may depend on what the body has done before.
  if (condition != nullptr && loop.reads_loop) {
    std::vector<Value> wanted;
    for (const Value item : items) {
      if (is_wanted(item)) wanted.push_back(item);
    }
    items = std::move(wanted);
    condition = nullptr;
  }
  const Value state = heap_.loop(std::move(items));
  bool any = false;
  for (std::size_t i = 0; i < state.loop->items.size(); ++i) {
    const Value item = state.loop->items[i];
    state.loop->index = i;
    if (condition != nullptr && !is_wanted(item)) continue;
    any = true;
    const Scope scope(*this, frame_);
    at_ = loop.at;
    assign(*loop.targets[0], item);
    define(kLoop, state);
    if (run(loop.blocks[0]) == Flow::kBreak) break;
  }
  return !any && loop.blocks.size() > 1 ? run(loop.blocks[1]) : Flow::kNext;
}

Renderer::Flow Renderer::run_if(const Statement& choice) {
  for (std::size_t i = 0; i < choice.expressions.size(); ++i) {
    if (truth(eval(*choice.expressions[i]))) return run(choice.blocks[i]);
  }
  return choice.blocks.size() > choice.expressions.size() ? run(choice.blocks.back()) : Flow::kNext;
}

void Renderer::run_with(const Statement& with) {
  const std::vector<Value> values = eval_all(with.expressions);
  const Scope scope(*this, frame_);
  for (std::size_t i = 0; i < values.size(); ++i) assign(*with.targets[i], values[i]);
  run(with.blocks[0]);
}

Text Renderer::captured(const Block& block) {
  const Scope scope(*this, frame_);
  Text outer = std::exchange(output_, Text());
  run(block);
  return std::exchange(output_, std::move(outer));
}

Value Renderer::filtered_text(const Statement& block) {
  const Value text = heap_.text(captured(block.blocks[0]));
  if (block.expressions[0] == nullptr) return text;
  filtered_ = text;
  return eval(*block.expressions[0]);
}

void Renderer::run_call_block(const Statement& call) {
  const Value caller = heap_.macro(&call, frame_);
  print(eval_call(*call.expressions[0], &caller));
}

void Renderer::print(Value value) { write(to_text(heap_, value)); }

void Renderer::write(const Text& text) {
  heap_.spend_bytes(text.size());
  if (text.size() > kOutputLimit - output_.size()) {
    throw Failure(fmt::format("the output is larger than {} bytes", kOutputLimit));
  }
  output_.append(text);
}

// The nesting of a target is bounded by the parser.
void Renderer::assign(const Expression& target, Value value) {
  if (target.kind == Expression::Kind::kName) return define(target.name, value);
  if (target.kind == Expression::Kind::kAttribute) return set_attribute(target, value);
  const std::vector<Value> parts = items_of(heap_, value);
  if (parts.size() != target.items.size()) {
    throw Failure(fmt::format("{} values for {} names", parts.size(), target.items.size()));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) assign(*target.items[i], parts[i]);
}

void Renderer::set_attribute(const Expression& target, Value value) {
  const Value owner = lookup(target.items[0]->name);
  if (!owner.is(Value::Kind::kNamespace)) {
    throw Failure(fmt::format("'{}' is no namespace, so its attributes cannot be set",
                              target.items[0]->name));
  }
  for (auto& [name, old] : owner.space->attributes) {
    if (name == target.name) {
      old = value;
      return;
    }
  }
  owner.space->attributes.emplace_back(target.name, value);
}

}  // namespace umf::jinja
