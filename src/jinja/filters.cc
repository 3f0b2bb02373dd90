#include "jinja/filters.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/elementary.h"
#include "jinja/methods.h"
#include "jinja/operators.h"
#include "jinja/print.h"

namespace umf::jinja {

namespace {

using Kind = Value::Kind;

// A filter that maps str(value) to a text and takes no arguments.
template <Text (*kMap)(const Text&)>
Value map_text(Heap& heap, Value subject, const Arguments& arguments) {
  arguments.bind("this filter", {});
  return heap.text(kMap(to_text(heap, subject)));
}

// A filter that is also a method of strings: value | trim("x") is str(value).strip("x").
template <const char* kMethod>
Value as_method(Heap& heap, Value subject, const Arguments& arguments) {
  return call_method(heap, Method{heap.text(to_text(heap, subject)), kMethod}, arguments);
}

constexpr char kStrip[] = "strip";

// Not the method title(): words begin after white space, a dash or an opening bracket.
Text title_words(const Text& text) {
  Text result;
  bool begins = true;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = code_point_at(text.bytes(), at);
    const Text letter = text.substr(at, next.length);
    const bool separates =
        is_space(next.value) ||
        (next.value < 0x80 && next.value != 0 &&
         std::string_view("-({[<").find(static_cast<char>(next.value)) != std::string_view::npos);
    result.append(begins ? to_upper(letter) : to_lower(letter));
    begins = separates;
    at += next.length;
  }
  return result;
}

Value default_value(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("default", {"default_value", "boolean"});
  const bool also_false = given[1] != nullptr && truth(*given[1]);
  if (!subject.is(Kind::kUndefined) && !(also_false && !truth(subject))) return subject;
  return given[0] != nullptr ? *given[0] : heap.text("");
}

Value replace_text(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("replace", {"old", "new", "count"});
  if (given[0] == nullptr || given[1] == nullptr) throw Failure("replace needs two texts");
  Arguments texts;
  texts.positional = {heap.text(to_text(heap, *given[0])), heap.text(to_text(heap, *given[1]))};
  if (given[2] != nullptr && !given[2]->is(Kind::kNone)) texts.positional.push_back(*given[2]);
  return call_method(heap, Method{heap.text(to_text(heap, subject)), "replace"}, texts);
}

// One level of indentation: a text, or as many spaces as a number says.
Text margin_of(Value width, std::int64_t limit, std::string_view what) {
  if (width.is(Kind::kText)) return *width.text;
  if (!width.is_integral()) throw Failure(fmt::format("the {} is a number or a text", what));
  return Text(std::string(std::clamp<std::int64_t>(width.as_integer(), 0, limit), ' '));
}

Value indent(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("indent", {"width", "first", "blank"});
  if (!subject.is(Kind::kText)) throw Failure("indent works on text only");
  const Text margin =
      given[0] != nullptr ? margin_of(*given[0], 1000, "width of indent") : Text("    ");
  Text with_end = *subject.text;
  with_end.append("\n");
  const auto lines = split_lines(with_end);
  const bool blank = given[2] != nullptr && truth(*given[2]);
  Text result;
  if (given[1] != nullptr && truth(*given[1])) result.append(margin);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    heap.spend_bytes(margin.size() + lines[i].size());
    if (i > 0) result.append("\n");
    if (i > 0 && (blank || !lines[i].empty())) result.append(margin);
    result.append(lines[i]);
  }
  return heap.text(std::move(result));
}

// Digits with single underscores between them, as int() and float() take them.
std::optional<std::string> python_digits(const Text& text) {
  std::string digits = strip(text, Side::kBoth, nullptr).bytes();
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (digits[at] != '_') continue;
    const auto is_digit = [&](std::size_t place) {
      return place < digits.size() && digits[place] >= '0' && digits[place] <= '9';
    };
    if (at == 0 || !is_digit(at - 1) || !is_digit(at + 1)) return std::nullopt;
    digits.erase(at--, 1);
  }
  if (digits.starts_with('+') && digits.size() > 1 && digits[1] != '-') digits.erase(0, 1);
  return digits;
}

std::optional<std::int64_t> parse_integer(const Text& text) {
  const auto digits = python_digits(text);
  if (!digits) return std::nullopt;
  std::int64_t value = 0;
  const char* end = digits->data() + digits->size();
  const auto read = std::from_chars(digits->data(), end, value);
  if (read.ptr != end || digits->empty()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) throw Failure("integers are limited to 64 bits");
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_float(const Text& text) {
  const auto digits = python_digits(text);
  if (!digits || digits->empty()) return std::nullopt;
  // strtod would also read hexadecimal numbers and nan(...).
  const std::string word = to_lower(Text(*digits)).bytes();
  const std::string unsigned_word = word.starts_with('-') ? word.substr(1) : word;
  const bool named =
      unsigned_word == "inf" || unsigned_word == "infinity" || unsigned_word == "nan";
  if (!named && word.find_first_not_of("0123456789+-.e") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return end == word.c_str() + word.size() ? std::optional(value) : std::nullopt;
}

Value float_to_integer(double value) {
  if (!(std::fabs(value) < 9.2e18)) throw Failure("the number does not fit a 64-bit integer");
  return Value::of(static_cast<std::int64_t>(value));
}

Value to_integer(Heap&, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("int", {"default", "base"});
  if (given[1] != nullptr && !(given[1]->is_integral() && given[1]->as_integer() == 10)) {
    throw Failure("int with a base other than 10 is not supported");
  }
  const Value fallback = given[0] != nullptr ? *given[0] : Value::of(std::int64_t{0});
  if (subject.is_integral()) return Value::of(subject.as_integer());
  if (subject.is(Kind::kUndefined)) fail_undefined(subject, "is not a number");
  std::optional<double> number;
  if (subject.is(Kind::kFloat)) number = subject.number;
  if (subject.is(Kind::kText)) {
    if (const auto integer = parse_integer(*subject.text)) return Value::of(*integer);
    number = parse_float(*subject.text);
  }
  return !number || std::isnan(*number) ? fallback : float_to_integer(*number);
}

Value to_float(Heap&, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("float", {"default"});
  if (subject.is_number()) return Value::of(subject.as_number());
  if (subject.is(Kind::kUndefined)) fail_undefined(subject, "is not a number");
  if (subject.is(Kind::kText)) {
    if (const auto number = parse_float(*subject.text)) return Value::of(*number);
  }
  return given[0] != nullptr ? *given[0] : Value::of(0.0);
}

Value absolute(Heap&, Value subject, const Arguments& arguments) {
  arguments.bind("abs", {});
  if (subject.is(Kind::kFloat)) return Value::of(std::fabs(subject.number));
  if (!subject.is_integral()) throw Failure(fmt::format("abs of a {}", type_name(subject)));
  return subject.as_integer() < 0 ? negate(subject) : Value::of(subject.as_integer());
}

Value round_number(Heap&, Value subject, const Arguments& arguments) {
  const auto given = arguments.bind("round", {"precision", "method"});
  const std::int64_t precision =
      given[0] == nullptr || !given[0]->is_integral() ? 0 : given[0]->as_integer();
  if (!subject.is_number()) throw Failure(fmt::format("round of a {}", type_name(subject)));
  if (precision < 0 || precision > 15) throw Failure("round takes a precision from 0 to 15");
  const std::string method =
      given[1] != nullptr && given[1]->is(Kind::kText) ? given[1]->text->bytes() : "common";
  if (method == "common") {
    if (subject.is_integral()) return Value::of(subject.as_integer());
    if (!std::isfinite(subject.number)) return subject;
    // Printing rounds the exact binary value, ties to even: what Python's round() does.
    return Value::of(
        std::strtod(fmt::format("{:.{}f}", subject.number, precision).c_str(), nullptr));
  }
  const double scale = elementary::pow(10.0, static_cast<double>(precision));
  const double scaled = subject.as_number() * scale;
  if (method == "ceil") return Value::of(std::ceil(scaled) / scale);
  if (method == "floor") return Value::of(std::floor(scaled) / scale);
  throw Failure("the method of round is common, ceil or floor");
}

Value json(Heap& heap, Value subject, const Arguments& arguments) {
  const auto given =
      arguments.bind("tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ascii = given[0] != nullptr && truth(*given[0]);
  if (given[1] != nullptr && !given[1]->is(Kind::kNone)) {
    style.indented = true;
    style.item_separator = Text(",");
    style.indent = margin_of(*given[1], 100, "indent of tojson");
  }
  if (given[2] != nullptr && !given[2]->is(Kind::kNone)) {
    const auto separators = items_of(heap, *given[2]);
    if (separators.size() != 2 || !separators[0].is(Kind::kText) ||
        !separators[1].is(Kind::kText)) {
      throw Failure("the separators of tojson are two texts");
    }
    style.item_separator = *separators[0].text;
    style.key_separator = *separators[1].text;
  }
  style.sort_keys = given[3] != nullptr && truth(*given[3]);
  return heap.text(to_json(heap, subject, style));
}

Text same(const Text& text) { return text; }

constexpr FilterEntry kScalarFilters[] = {
    {"abs", absolute},
    {"capitalize", map_text<capitalize>},
    {"d", default_value},
    {"default", default_value},
    {"float", to_float},
    {"indent", indent},
    {"int", to_integer},
    {"lower", map_text<to_lower>},
    {"replace", replace_text},
    {"round", round_number},
    // Text marked as safe escapes what it is joined to, so the parser allows this last in a print
    // only.
    {"safe", map_text<same>},
    {"string", map_text<same>},
    {"title", map_text<title_words>},
    {"tojson", json},
    {"trim", as_method<kStrip>},
    {"upper", map_text<to_upper>},
};

}  // namespace

Filter find_filter(std::string_view name) {
  for (const auto filters : {std::span<const FilterEntry>(kScalarFilters), sequence_filters()}) {
    for (const FilterEntry& entry : filters) {
      if (entry.name == name) return entry.filter;
    }
  }
  return nullptr;
}

}  // namespace umf::jinja
