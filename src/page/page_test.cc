#include "page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/error.h"
#include "base/pack.h"
#include "base/sha256.h"
#include "page/bundle.h"
#include "page/web_files.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Bundle, PutsModulesBehindWhatTheyImportOnce) {
  const WebFiles files = {
      {"a.js", "import { b } from \"./b.js\";\nimport { c } from \"./c.js\";\na;\n"},
      {"b.js", "import { c } from \"./c.js\";\nexport const b = c;\n"},
      {"c.js", "export const c = 1;"}};
  EXPECT_EQ(bundle(files, "a.js"), "const c = 1;const b = c;\na;\n");
}

TEST(Bundle, RefusesWhatItCannotFollow) {
  EXPECT_THROW(bundle({}, "a.js"), Error);
  EXPECT_THROW(bundle({{"a.js", "import \"b\";\n"}}, "a.js"), Error);
  EXPECT_THROW(bundle({{"a.js", "import { a } from \"./a.js\";\n"}}, "a.js"), Error);
}

// All modules share one scope once they are bundled.
TEST(WebFiles, UseATopLevelNameOnce) {
  const std::regex declaration("^(?:export )?(?:const|let|function|class) ([A-Za-z_$][\\w$]*)",
                               std::regex::multiline);
  std::set<std::string> names;
  for (const auto& [file, text] : web_files()) {
    if (!file.ends_with(".js")) continue;
    const std::string script(text);
    for (std::sregex_iterator it(script.begin(), script.end(), declaration), end; it != end; ++it)
      EXPECT_TRUE(names.insert((*it)[1]).second) << (*it)[1] << " again in " << file;
  }
  EXPECT_GT(names.size(), 20);
}

TEST(WebFiles, NeverMakeMarkupOfText) {
  for (const auto& [file, text] : web_files()) {
    for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                            "eval(", "new Function", "DOMParser", "srcdoc", "</script"})
      EXPECT_EQ(text.find(way), std::string_view::npos) << way << " in " << file;
  }
}

TEST(PageHtml, DataCannotLeaveItsElement) {
  const std::string html = page_html(
      {"</title><b>", "dom.js", {{"x\"y", "[\"</script><img src=x onerror=alert(1)>\"]"}}});
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, HasSubstr("[\"\\u003c/script>\\u003cimg src=x onerror=alert(1)>\"]"));
  EXPECT_THAT(html, HasSubstr("id=\"x&quot;y\""));
}

TEST(PageHtml, RunsItsOwnScriptAlone) {
  const std::string html = page_html({"t", "dom.js"});
  const std::size_t begin = html.rfind("<script>") + 8, end = html.rfind("</script>");
  const std::string hash = base64(sha256_bytes(html.substr(begin, end - begin)));
  EXPECT_THAT(
      html, HasSubstr("default-src 'none'; script-src 'sha256-" + hash + "'; style-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
  EXPECT_THAT(html, Not(HasSubstr("connect-src")));
  EXPECT_THAT(page_policy({.module = "dom.js", .asks_its_server = true}),
              HasSubstr("connect-src 'self'"));
}

}  // namespace
}  // namespace umf
