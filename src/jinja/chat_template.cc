#include "jinja/chat_template.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "jinja/eval.h"
#include "jinja/parser.h"

namespace umf {

namespace {

using namespace jinja;

// `AnyJson` is Json or OrderedJson. `user` marks the strings, also those that are keys.
template <class AnyJson>
Value from_json(Heap& heap, const AnyJson& json, bool user, int depth = 0) {
  constexpr int kDepthLimit = 64;
  if (depth > kDepthLimit) throw Error("chat template: variables nested too deeply");
  switch (json.type()) {
    case AnyJson::value_t::null:
      return Value::none();
    case AnyJson::value_t::boolean:
      return Value::of(json.template get<bool>());
    case AnyJson::value_t::number_unsigned:
      if (json.template get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
        throw Error("chat template: a variable holds an integer of more than 64 bits");
      }
      [[fallthrough]];
    case AnyJson::value_t::number_integer:
      return Value::of(json.template get<std::int64_t>());
    case AnyJson::value_t::number_float:
      return Value::of(json.template get<double>());
    case AnyJson::value_t::string:
      return heap.text(Text(json.template get_ref<const std::string&>(), user));
    case AnyJson::value_t::array: {
      std::vector<Value> items;
      for (const auto& item : json) items.push_back(from_json(heap, item, user, depth + 1));
      return heap.list(std::move(items));
    }
    case AnyJson::value_t::object: {
      Dict dict;
      for (const auto& [key, item] : json.items()) {
        dict.items.emplace_back(heap.text(Text(key, user)), from_json(heap, item, user, depth + 1));
      }
      return heap.dict(std::move(dict));
    }
    default:
      throw Error("chat template: a variable is neither text, number, list nor object");
  }
}

template <class AnyJson>
void define(Heap& heap, Frame& globals, const AnyJson& variables, bool user) {
  if (!variables.is_object()) throw Error("chat template: the variables are not an object");
  for (const auto& [name, value] : variables.items()) {
    globals.variables.emplace_back(heap.name(name), from_json(heap, value, user));
  }
}

// `define_all` gives the heap and the globals their variables.
template <class DefineAll>
Text render_with(const Template& source, DefineAll&& define_all) {
  Heap heap;
  Frame globals;
  try {
    define_all(heap, globals);
  } catch (const Failure& failure) {
    throw Error(fmt::format("chat template: the variables are too large: {}", failure.what()));
  }
  return Renderer(source, heap, &globals).run();
}

}  // namespace

ChatTemplate::ChatTemplate(const std::string& source) : template_(parse(source)) {}

std::string ChatTemplate::render(const Json& variables) const {
  return render_with(
             *template_,
             [&](Heap& heap, Frame& globals) { define(heap, globals, variables, /*user=*/false); })
      .bytes();
}

MarkedText ChatTemplate::render_marked(const OrderedJson& trusted, const OrderedJson& user) const {
  const Text text = render_with(*template_, [&](Heap& heap, Frame& globals) {
    define(heap, globals, trusted, /*user=*/false);
    define(heap, globals, user, /*user=*/true);
  });
  MarkedText result{text.bytes(), std::vector<bool>(text.size())};
  for (std::size_t at = 0; at < text.size(); ++at) result.user[at] = text.user_at(at);
  return result;
}

}  // namespace umf
