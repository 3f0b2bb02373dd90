// Values of the template language, with Python's meaning of truth, equality, order and operators.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/ast.h"
#include "jinja/lexer.h"
#include "jinja/text.h"

namespace umf::jinja {

struct List;
struct Dict;
struct Namespace;
struct Loop;
struct Macro;
struct Method;

enum class Function { kRange, kDict, kNamespace, kRaiseException, kStrftimeNow };

// A small handle: what it points to belongs to the Heap or to the template.
struct Value {
  enum class Kind : std::uint8_t {
    kUndefined,
    kNone,
    kBool,
    kInteger,
    kFloat,
    kText,
    kList,
    kDict,
    kNamespace,
    kLoop,
    kMacro,
    kFunction,
    kMethod,
  };
  Kind kind = Kind::kUndefined;
  union {
    const std::string* missing = nullptr;  // kUndefined: what was looked for, or null
    bool boolean;
    std::int64_t integer;
    double number;
    const Text* text;
    List* list;
    Dict* dict;
    Namespace* space;
    Loop* loop;
    const Macro* macro;
    Function function;
    const Method* method;
  };

  static Value undefined(const std::string* name = nullptr) { return {.missing = name}; }
  static Value none() { return {.kind = Kind::kNone}; }
  static Value of(bool value) { return {.kind = Kind::kBool, .boolean = value}; }
  static Value of(std::int64_t value) { return {.kind = Kind::kInteger, .integer = value}; }
  static Value of(double value) { return {.kind = Kind::kFloat, .number = value}; }
  static Value of(const Text* value) { return {.kind = Kind::kText, .text = value}; }
  static Value of(Function value) { return {.kind = Kind::kFunction, .function = value}; }

  bool is(Kind other) const { return kind == other; }
  bool is_number() const { return is(Kind::kBool) || is(Kind::kInteger) || is(Kind::kFloat); }
  bool is_integral() const { return is(Kind::kBool) || is(Kind::kInteger); }
  std::int64_t as_integer() const { return is(Kind::kBool) ? boolean : integer; }
  double as_number() const { return is(Kind::kFloat) ? number : static_cast<double>(as_integer()); }
};

// Python's several sequences. A view (range, dict.items()) has a length; a generator has none, is
// always true and gives its items once. Neither can be printed: their text differs between runs.
struct List {
  enum class Shape { kList, kTuple, kView, kGenerator };
  Shape shape = Shape::kList;
  std::vector<Value> items;
  std::size_t next = 0;  // of a generator: how many items are gone
};

struct Dict {
  std::vector<std::pair<Value, Value>> items;  // in the order of insertion, keys are unique
};

struct Frame {  // the variables of one scope
  Frame* parent = nullptr;
  std::vector<std::pair<const std::string*, Value>> variables;
};

struct Namespace {
  std::vector<std::pair<std::string, Value>> attributes;
};

struct Loop {
  std::vector<Value> items;
  std::size_t index = 0;
  bool changed_once = false;
  Value last_changed;  // what loop.changed() saw last: a tuple of its arguments
};

struct Macro {
  const Statement* definition;  // a macro, or a call block whose body is its caller()
  Frame* scope;
};

struct Method {
  Value self;
  std::string name;
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  // The values by the names of a signature; what is not given is null. Throws Failure for what the
  // signature does not have.
  std::vector<const Value*> bind(std::string_view callee,
                                 std::initializer_list<std::string_view> signature) const;
};

// Everything that one rendering allocates, freed at its end in one flat sweep: values may refer to
// each other in circles. Work and memory are bounded by one budget of steps.
class Heap {
 public:
  void spend(std::size_t steps);
  void spend_bytes(std::size_t bytes) { spend(1 + bytes / 32); }

  Value text(Text text);
  Value text(std::string_view bytes) { return text(Text(std::string(bytes))); }
  Value list(std::vector<Value> items, List::Shape shape = List::Shape::kList);
  Value dict(Dict dict);
  Value space();
  Value loop(std::vector<Value> items);
  Value macro(const Statement* definition, Frame* scope);
  Value method(Value self, std::string name);
  const std::string* name(std::string name);
  Frame* frame(Frame* parent);

 private:
  std::size_t steps_ = 0;
  std::deque<Text> texts_;
  std::deque<List> lists_;
  std::deque<Dict> dicts_;
  std::deque<Namespace> spaces_;
  std::deque<Loop> loops_;
  std::deque<Macro> macros_;
  std::deque<Method> methods_;
  std::deque<std::string> names_;
  std::deque<Frame> frames_;
};

// Python's name of the value's type, for messages.
std::string_view type_name(Value value);
[[noreturn]] void fail_undefined(Value value, std::string_view use);

bool truth(Value value);
bool equals(Heap& heap, Value a, Value b);
// Throws Failure when the two have no order.
std::partial_ordering order(Heap& heap, Value a, Value b);
bool contains(Heap& heap, Value container, Value item);
bool is_hashable(Value value);

// What a loop over the value sees; takes the items of a generator.
std::vector<Value> items_of(Heap& heap, Value value);
// The number of items. Throws Failure for what has no length.
std::size_t length_of(Heap& heap, Value value);

Value* find(Heap& heap, Dict& dict, Value key);  // or null
void put(Heap& heap, Dict& dict, Value key, Value value);

}  // namespace umf::jinja
