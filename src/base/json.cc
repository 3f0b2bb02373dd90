#include "base/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"

namespace umf {
namespace {

constexpr std::size_t kDepthLimit = 64, kExcerptBytes = 200;

// What a message quotes may be as long as the document; characters stay whole.
std::string_view excerpt(std::string_view text) {
  std::size_t end = std::min(text.size(), kExcerptBytes);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// The same in one line: as JSON, but for the quotes.
std::string in_one_line(std::string_view text) {
  const std::string quoted = Json(excerpt(text)).dump();
  return quoted.substr(1, quoted.size() - 2);
}

// Without the library's own name of the mistake, "[json.exception.parse_error.101] ".
std::string_view in_words(const Json::exception& reason) {
  const std::string_view what = reason.what();
  const std::size_t end = what.find("] ");
  return excerpt(end == what.npos ? what : what.substr(end + 2));
}

// Builds the document from the parser's events. The library's own builder with a callback looks
// through a whole list at the end of each object in it.
class Builder {
 public:
  Builder(const std::string& where, std::size_t most_values)
      : where_(where), most_values_(most_values) {}

  Json take() && { return std::move(root_); }

  // The events; false would end the parsing without a reason.
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& value) { return add(std::move(value)); }
  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& fields = open_.back()->get_ref<Json::object_t&>();
    const auto [field, is_new] = fields.try_emplace(std::move(name));
    if (!is_new)
      throw Error(fmt::format("{}: key '{}' is given twice", where_, in_one_line(field->first)));
    field_ = &field->second;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& reason) {
    throw Error(fmt::format("{} is not valid JSON: {}", where_, in_words(reason)));
  }

 private:
  // Where the next value belongs.
  Json& place() {
    if (++values_ > most_values_)
      throw Error(fmt::format("{} has more than {} values", where_, most_values_));
    if (open_.empty()) return root_;
    if (open_.back()->is_object()) return *field_;
    return open_.back()->get_ref<Json::array_t&>().emplace_back();
  }

  template <class Value>
  bool add(Value&& value) {
    place() = std::forward<Value>(value);
    return true;
  }

  bool open(Json::value_t kind) {
    if (open_.size() == kDepthLimit)
      throw Error(fmt::format("{}: nested deeper than {} levels", where_, kDepthLimit));
    Json& opened = place();
    opened = kind;
    open_.push_back(&opened);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& where_;
  const std::size_t most_values_;
  std::size_t values_ = 0;
  Json root_;
  std::vector<Json*> open_;  // outermost first; a list grows only while it is the innermost
  Json* field_ = nullptr;    // of the innermost object: what its last key names
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where, std::size_t most_values) {
  Builder builder(where, most_values);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).take();
}

}  // namespace umf
