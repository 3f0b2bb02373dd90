// A whole web page in one text: markup, style, script and data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace umf {

// Data for the script, which finds it by its id.
struct PageData {
  std::string id;
  std::string text;     // JSON, or base64 of a gzip of JSON
  bool packed = false;  // the latter
};

struct Page {
  std::string title;
  std::string_view module;          // of page/web: the one that is run
  std::vector<PageData> data = {};  // in order
  bool asks_its_server = false;     // may it speak to where it came from? A page on disk may not
};

// The document. What it may run and load is fixed in its policy: this script and this style alone,
// by their hashes, and nothing from elsewhere. Data cannot end its element: '<' is written as
// \u003c, which JSON reads the same.
std::string page_html(const Page& page);

// The policy, as a server sends it.
std::string page_policy(const Page& page);

// `text` where markup is expected.
std::string escape_html(std::string_view text);

}  // namespace umf
