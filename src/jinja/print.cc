#include "jinja/print.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "jinja/filters.h"

namespace umf::jinja {

namespace {

using Kind = Value::Kind;
constexpr int kDepthLimit = 200;

std::string plain_text(Value value) {
  switch (value.kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.boolean ? "True" : "False";
    case Kind::kInteger:
      return fmt::format("{}", value.integer);
    default:
      return format_float(value.number);
  }
}

class Writer {
 public:
  explicit Writer(Heap& heap) : heap_(heap) {}

  void write(Value value, int depth) {
    heap_.spend(1);
    if (depth > kDepthLimit) throw Failure("a value nested too deeply to print");
    switch (value.kind) {
      case Kind::kUndefined:
        return out.append("Undefined");
      case Kind::kNone:
      case Kind::kBool:
      case Kind::kInteger:
      case Kind::kFloat:
        return out.append(plain_text(value));
      case Kind::kText:
        return quote(*value.text);
      case Kind::kList:
        return list(*value.list, depth);
      case Kind::kDict:
        return dict(*value.dict, depth);
      default:
        throw Failure(fmt::format("a {} cannot be printed", type_name(value)));
    }
  }

  Text out;

 private:
  void quote(const Text& text) {
    heap_.spend_bytes(text.size());
    const std::string& bytes = text.bytes();
    const bool has_single = bytes.find('\'') != std::string::npos;
    const char mark = has_single && bytes.find('"') == std::string::npos ? '"' : '\'';
    out.append(std::string_view(&mark, 1));
    for (std::size_t at = 0; at < bytes.size();) {
      const CodePoint next = code_point_at(bytes, at);
      const std::string escaped = escape(next.value, mark);
      if (escaped.empty()) {
        out.append(text, at, next.length);
      } else {
        out.append(escaped, text.user_at(at));
      }
      at += next.length;
    }
    out.append(std::string_view(&mark, 1));
  }

  static std::string escape(char32_t value, char mark) {
    const auto number = static_cast<std::uint32_t>(value);
    if (value == '\\' || value == static_cast<char32_t>(mark)) {
      return {'\\', static_cast<char>(value)};
    }
    if (value == '\n') return "\\n";
    if (value == '\r') return "\\r";
    if (value == '\t') return "\\t";
    if (value >= 0x110000 || is_printable(value)) return "";
    if (value < 0x100) return fmt::format("\\x{:02x}", number);
    if (value < 0x10000) return fmt::format("\\u{:04x}", number);
    return fmt::format("\\U{:08x}", number);
  }

  void list(const List& list, int depth) {
    if (list.shape > List::Shape::kTuple) {
      throw Failure("a generator or view cannot be printed: add '| list'");
    }
    const bool tuple = list.shape == List::Shape::kTuple;
    out.append(tuple ? "(" : "[");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) out.append(", ");
      write(list.items[i], depth + 1);
    }
    out.append(tuple ? (list.items.size() == 1 ? ",)" : ")") : "]");
  }

  void dict(const Dict& dict, int depth) {
    out.append("{");
    for (std::size_t i = 0; i < dict.items.size(); ++i) {
      if (i > 0) out.append(", ");
      write(dict.items[i].first, depth + 1);
      out.append(": ");
      write(dict.items[i].second, depth + 1);
    }
    out.append("}");
  }

  Heap& heap_;
};

class JsonWriter {
 public:
  JsonWriter(Heap& heap, const JsonStyle& style) : heap_(heap), style_(style) {}

  void write(Value value, int depth) {
    heap_.spend(1);
    if (depth > kDepthLimit) throw Failure("a value nested too deeply for tojson");
    switch (value.kind) {
      case Kind::kNone:
        return out.append("null");
      case Kind::kBool:
        return out.append(value.boolean ? "true" : "false");
      case Kind::kInteger:
        return out.append(plain_text(value));
      case Kind::kFloat:
        return out.append(number(value.number));
      case Kind::kText:
        return quote(*value.text);
      case Kind::kList:
        if (value.list->shape > List::Shape::kTuple) break;
        return list(*value.list, depth);
      case Kind::kDict:
        return dict(*value.dict, depth);
      case Kind::kUndefined:
        fail_undefined(value, "cannot be written as JSON");
      default:
        break;
    }
    throw Failure(fmt::format("a {} cannot be written as JSON", type_name(value)));
  }

  Text out;

 private:
  static std::string number(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return format_float(value);
  }

  void quote(const Text& text) {
    heap_.spend_bytes(text.size());
    const std::string& bytes = text.bytes();
    out.append("\"");
    for (std::size_t at = 0; at < bytes.size();) {
      const CodePoint next = code_point_at(bytes, at);
      const std::string escaped = escape(next.value);
      if (escaped.empty()) {
        out.append(text, at, next.length);
      } else {
        out.append(escaped, text.user_at(at));
      }
      at += next.length;
    }
    out.append("\"");
  }

  std::string escape(char32_t value) const {
    static constexpr std::string_view kCharacters = "\"\\\n\r\t\f\b", kLetters = "\"\\nrtfb";
    const auto number = static_cast<std::uint32_t>(value);
    if (value < 0x80) {
      const std::size_t known = kCharacters.find(static_cast<char>(value));
      if (known != std::string_view::npos) return {'\\', kLetters[known]};
    }
    if (value < 0x20) return fmt::format("\\u{:04x}", number);
    if (!style_.ascii || value < 0x80 || value >= 0x110000) return "";
    if (value < 0x10000) return fmt::format("\\u{:04x}", number);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((number - 0x10000) >> 10),
                       0xDC00 + ((number - 0x10000) & 0x3FF));
  }

  void separate() {
    heap_.spend_bytes(style_.item_separator.size() + style_.key_separator.size());
    out.append(style_.item_separator);
  }

  void new_line(int depth) {
    if (!style_.indented) return;
    heap_.spend_bytes(style_.indent.size() * depth);
    out.append("\n");
    for (int level = 0; level < depth; ++level) out.append(style_.indent);
  }

  void list(const List& list, int depth) {
    out.append("[");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) separate();
      new_line(depth + 1);
      write(list.items[i], depth + 1);
    }
    if (!list.items.empty()) new_line(depth);
    out.append("]");
  }

  void dict(const Dict& dict, int depth) {
    std::vector<std::size_t> places(dict.items.size());
    std::vector<Value> keys;
    for (const auto& [key, value] : dict.items) keys.push_back(key);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    if (style_.sort_keys) places = sorted_places(heap_, keys, /*descending=*/false);
    out.append("{");
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0) separate();
      new_line(depth + 1);
      key(keys[places[i]]);
      out.append(style_.key_separator);
      write(dict.items[places[i]].second, depth + 1);
    }
    if (!places.empty()) new_line(depth);
    out.append("}");
  }

  void key(Value value) {
    if (value.is(Kind::kText)) return quote(*value.text);
    if (!value.is_number() && !value.is(Kind::kNone)) {
      throw Failure(fmt::format("a {} cannot be a key in JSON", type_name(value)));
    }
    out.append("\"");
    write(value, 0);
    out.append("\"");
  }

  Heap& heap_;
  const JsonStyle& style_;
};

}  // namespace

std::string format_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  // Python writes an exponent below 1e-4 and from 1e16 on.
  const double size = std::fabs(value);
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value, format);
  std::string text(buffer, written.ptr);
  if (fixed && text.find('.') == std::string::npos) text += ".0";
  return text;
}

Text to_text(Heap& heap, Value value) {
  if (value.is(Kind::kText)) return *value.text;
  if (value.is(Kind::kUndefined)) return Text();
  return repr(heap, value);
}

Text repr(Heap& heap, Value value) {
  Writer writer(heap);
  writer.write(value, 0);
  return std::move(writer.out);
}

Text to_json(Heap& heap, Value value, const JsonStyle& style) {
  JsonWriter writer(heap, style);
  writer.write(value, 0);
  return std::move(writer.out);
}

}  // namespace umf::jinja
