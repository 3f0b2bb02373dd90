// The parsed template. Nodes live in flat pools, so that no depth of nesting can exhaust the stack
// when a template is destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "jinja/text.h"

namespace umf::jinja {

enum class Operator { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
enum class Comparison {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn
};

struct Expression {
  enum class Kind {
    kNone,
    kBool,         // integer
    kInteger,      // integer
    kFloat,        // number
    kText,         // text
    kName,         // name
    kList,         // items
    kTuple,        // items
    kDict,         // items: key, value, key, value, ...
    kAttribute,    // items[0].name
    kSubscript,    // items[0][items[1]]
    kSlice,        // items[0][items[1]:items[2]:items[3]]; an absent part is null
    kCall,         // items[0](items[1..], named...)
    kFilter,       // items[0] | name(items[1..], named...); in a filter block items[0] is null
    kTest,         // items[0] is name(items[1..], named...)
    kNot,          // items[0]
    kNegate,       // items[0]
    kPlus,         // items[0]
    kBinary,       // items[0] operation items[1]
    kConcat,       // items[0] ~ items[1] ~ ...
    kCompare,      // items[0] comparisons[0] items[1] comparisons[1] items[2] ...
    kAnd,          // items[0], items[1]
    kOr,           // items[0], items[1]
    kConditional,  // items[1] if items[0] else items[2], which may be null
  };
  Kind kind = Kind::kNone;
  std::size_t at = 0;  // offset in the source
  int depth = 1;
  std::string name;
  Text text;
  std::int64_t integer = 0;
  double number = 0;
  Operator operation = Operator::kAdd;
  std::vector<Comparison> comparisons;
  std::vector<const Expression*> items;
  std::vector<std::pair<std::string, const Expression*>> named;
};

struct Statement;
using Block = std::vector<const Statement*>;

struct Parameter {
  std::string name;
  const Expression* fallback;  // or null
};

struct Statement {
  enum class Kind {
    kText,         // text
    kPrint,        // expressions[0]
    kFor,          // target, expressions: iterable, condition or null; blocks: body, else
    kIf,           // expressions[i] guards blocks[i]; one block more is the else
    kSet,          // target, expressions[0]
    kSetBlock,     // target, expressions[0]: filters or null; blocks[0]
    kMacro,        // name, parameters, blocks[0]
    kCallBlock,    // parameters of caller(), expressions[0]: the call; blocks[0]
    kFilterBlock,  // expressions[0]: filters; blocks[0]
    kWith,         // targets, expressions[i] belongs to targets[i]; blocks[0]
    kScope,        // blocks[0]: a generation block
    kBreak,
    kContinue,
  };
  Kind kind = Kind::kText;
  std::size_t at = 0;
  std::string name;
  Text text;
  std::vector<const Expression*> targets;  // names, tuples of targets, or namespace attributes
  std::vector<const Expression*> expressions;
  std::vector<Parameter> parameters;
  std::vector<Block> blocks;
  // Which of these names the body reads: a loop or macro behaves differently when it does.
  bool reads_loop = false, reads_caller = false, reads_varargs = false, reads_kwargs = false;
};

struct Template {
  std::string source;  // normalised; what offsets refer to
  std::deque<Expression> expressions;
  std::deque<Statement> statements;
  Block body;
};

}  // namespace umf::jinja
