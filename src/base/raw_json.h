// JSON read without touching what it holds: the fields of an object and the elements of a list as
// the text they have. Test data has integers beyond 64 bits and words that JSON does not know
// (Infinity); whoever needs the values parses that text in a language that can.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

class RawObject {
 public:
  // `text` must outlive the object; `where` names it in errors. Throws Error unless `text` is one
  // JSON object, up to the spelling of what is inside its values, with each key once.
  RawObject(std::string_view text, std::string where);

  bool has(std::string_view key) const { return fields_.contains(key); }
  // These throw Error where the field is missing, or is not of that kind.
  std::string_view raw(std::string_view key) const;
  std::string text(std::string_view key) const;                // a string
  std::vector<std::string> texts(std::string_view key) const;  // a list of strings
  std::string_view list(std::string_view key) const;           // a list, unread

 private:
  std::string where_;
  std::map<std::string, std::string_view, std::less<>> fields_;
};

// The elements of a JSON list, each as its text.
std::vector<std::string_view> raw_elements(std::string_view list, const std::string& where);

}  // namespace umf
