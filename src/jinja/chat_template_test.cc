#include "jinja/chat_template.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

const std::filesystem::path kData = UMF_SOURCE_DIR "/tests/data/chat_templates";

OrderedJson read_rows(const std::string& name) {
  return OrderedJson::parse(read_file(kData / name));
}

std::string render(const std::string& source,
                   const OrderedJson& variables = OrderedJson::object()) {
  return ChatTemplate(source).render_marked(variables, OrderedJson::object()).text;
}

// The message of the Error, or what was rendered instead.
std::string error_of(const std::string& source,
                     const OrderedJson& variables = OrderedJson::object()) {
  try {
    return "rendered: " + render(source, variables);
  } catch (const Error& error) {
    return error.what();
  }
}

// jinja2's text, or an Error where jinja2 raises.
void expect_as_jinja2(const std::string& source, const OrderedJson& row) {
  if (row.contains("error")) {
    EXPECT_THROW(render(source, row["variables"]), Error)
        << source << "\njinja2 raises " << row["error"];
    return;
  }
  try {
    EXPECT_EQ(render(source, row["variables"]), row["expected"].get<std::string>()) << source;
  } catch (const Error& error) {
    ADD_FAILURE() << source << "\n" << error.what();
  }
}

TEST(ChatTemplate, RendersSnippetsAsJinja2Does) {
  const OrderedJson rows = read_rows("snippets.json");
  EXPECT_GE(rows.size(), 150u);
  for (const auto& row : rows) expect_as_jinja2(row["source"], row);
}

TEST(ChatTemplate, RendersConversationsAsJinja2Does) {
  const OrderedJson rows = read_rows("vectors.json");
  EXPECT_GE(rows.size(), 20u * 15u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row["template"].get<std::string>() + " " + row["conversation"].get<std::string>());
    expect_as_jinja2(read_file(kData / row["template"].get<std::string>()), row);
  }
}

// FNV-1a: the published templates' text is not ours to keep, a fingerprint of what they print is.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  }
  return fmt::format("{:016x}", hash);
}

std::string read_gzip(const std::filesystem::path& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(fmt::format("gzip -dc '{}'", path.string()).c_str(), "r"), pclose);
  std::string text;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe.get())) {
    text.append(buffer, count);
  }
  return text;
}

TEST(ChatTemplate, RendersPublishedTemplatesAsJinja2Does) {
  const std::filesystem::path folder = UMF_SOURCE_DIR "/../shared/data/tokenizers";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published tokenizers in " << folder;
  std::map<std::string, OrderedJson> conversations;
  for (const auto& conversation : read_rows("conversations.json")) {
    conversations[conversation["name"]] = conversation;
  }
  for (const auto& row : read_rows("published.json")) {
    SCOPED_TRACE(row.dump());
    const auto config = OrderedJson::parse(
        read_gzip(folder / row["model"].get<std::string>() / "tokenizer_config.json.gz"));
    OrderedJson variables = {{"add_generation_prompt", true}, {"tools", nullptr}};
    variables.update(row["variables"]);
    variables.update(conversations.at(row["conversation"]));
    const std::string source = config["chat_template"];
    if (row.contains("error")) {
      EXPECT_THROW(render(source, variables), Error);
    } else {
      EXPECT_EQ(fingerprint(render(source, variables)), row["fingerprint"].get<std::string>());
    }
  }
}

TEST(ChatTemplate, RefusesWithLineAndColumnWhatItDoesNotSupport) {
  const std::pair<std::string, std::string> kRefused[] = {
      {"a\n  {% include 'x' %}", "line 2, column 6: the tag 'include' is not supported"},
      {"{% block b %}{% endblock %}", "column 4: the tag 'block' is not supported"},
      {"{% do x %}", "the tag 'do' is not supported"},
      {"{{ 'é' }}{{ 1 | pprint }}", "line 1, column 17: the filter 'pprint' is not supported"},
      {"{{ 1 is sameas 1 }}", "the test 'sameas' is not supported"},
      {"{{ 'a'.encode() }}", "column 7: the method str.encode() is not supported"},
      {"{{ '{}'.format(1) }}", "the method str.format() is not supported"},
      {"{{ '%s' % 1 }}", "formatting with % is not supported"},
      {"{{ f(*x) }}", "unpacking arguments with * or ** is not supported"},
      {"{{ 0x10 }}", "numbers in base 2, 8 or 16 are not supported"},
      {"{% for x in y recursive %}{% endfor %}", "recursive loops are not supported"},
      {"{{ {'a': 1}.items() }}", "a generator or view cannot be printed"},
      {"{{ 'a' | escape }}", "the filter 'escape' is not supported"},
      {"{{ 'a' ~ (b | safe) }}", "column 15: the filter 'safe' is supported at the end of a print"},
      {"{{ 'a'.__class__ }}", "'__class__' is not supported"},
      {"{{ range }}", "a function cannot be printed"},
      {"{{ 99999999999999999999 }}", "integers are limited to 64 bits"},
      {"{{ 9223372036854775807 + 1 }}", "does not fit a 64-bit integer"},
  };
  for (const auto& [source, message] : kRefused) {
    EXPECT_THAT(error_of(source), testing::HasSubstr(message)) << source;
  }
}

TEST(ChatTemplate, GivesTheMessageOfRaiseException) {
  EXPECT_EQ(error_of("x\n{{ raise_exception('roles must ' ~ 'alternate') }}"),
            "chat template, line 2, column 19: the template refuses this conversation: roles must "
            "alternate");
}

TEST(ChatTemplate, TakesTheDateFromItsCallerAndNeverFromTheClock) {
  const std::string source = "{{ strftime_now('%d %b %Y') }}";
  EXPECT_THAT(error_of(source), testing::HasSubstr("pass date_string"));
  EXPECT_EQ(render(source, {{"date_string", "26 Jul 2024"}}), "26 Jul 2024");
}

TEST(ChatTemplate, StopsTemplatesWithoutBounds) {
  const std::string many = "{% for a in range(99999) %}", end = "{% endfor %}";
  EXPECT_THAT(error_of(many + many + end + end), testing::HasSubstr("steps"));
  EXPECT_THAT(error_of("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(
      error_of("{% set n = namespace(x='ab') %}" + many + "{% set n.x = n.x ~ n.x %}" + end),
      testing::HasSubstr("text of more than"));
  EXPECT_THAT(error_of("{% set x = 'a' * 9999999 %}{{ x }}{{ x }}"),
              testing::HasSubstr("output is larger"));
  EXPECT_THAT(error_of("{{ 'a' * 999999999999 }}"), testing::HasSubstr("repeating"));
  EXPECT_THAT(error_of("{% set x = 'a' * 999999 %}{{ x | replace('a', x) }}"),
              testing::HasSubstr("steps"));
  EXPECT_THAT(error_of("{{ 'a' | map(" +
                       [] {
                         std::string names = "'map'";
                         for (int i = 0; i < 10000; ++i) names += ",'map'";
                         return names;
                       }() +
                       ") | list }}"),
              testing::HasSubstr("map of map"));
}

TEST(ChatTemplate, SurvivesSourcesNestedWithoutBounds) {
  const auto repeat = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  for (const std::string& source :
       {"{{ " + repeat("(", 100000), "{{ " + repeat("[", 100000), "{{ " + repeat("{1:", 100000),
        "{{ " + repeat("not ", 100000) + "1 }}", "{{ " + repeat("-", 100000) + "1 }}",
        "{{ 1" + repeat(" + 1", 100000) + " }}", "{{ x" + repeat(".x", 100000) + " }}",
        "{{ x" + repeat("|trim", 100000) + " }}", "{{ x" + repeat("[0]", 100000) + " }}",
        "{{ 1" + repeat(" if 1 else 1", 50000) + " }}", repeat("{% if 1 %}", 50000),
        repeat("{% for x in y %}", 50000), "{% set " + repeat("(", 100000) + " %}"}) {
    EXPECT_THAT(error_of(source), testing::HasSubstr("chat template, line 1")) << source.size();
  }
  EXPECT_EQ(render("{{ 1" + repeat(" ~ 1", 1000) + " }}"), std::string(1001, '1'));
  EXPECT_EQ(render("{% if 0 %}" + repeat("{% elif 0 %}", 10000) + "{% else %}x{% endif %}"), "x");
}

TEST(ChatTemplate, SurvivesValuesNestedWithoutBoundsAndInCircles) {
  const std::string deep =
      "{% set n = namespace(x=[]) %}{% for i in range(99999) %}{% set n.x = [n.x] %}{% endfor %}";
  EXPECT_EQ(render(deep + "done"), "done");
  EXPECT_THAT(error_of(deep + "{{ n.x }}"), testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(deep + "{{ n.x | tojson }}"), testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(deep + "{% set m = namespace(x=[]) %}{% for i in range(999) %}"
                              "{% set m.x = [m.x] %}{% endfor %}{{ n.x == m.x }}"),
              testing::HasSubstr("nested too deeply"));
  EXPECT_EQ(render("{% set n = namespace() %}{% set n.x = [n] %}{{ n.x[0].x | length }}"), "1");
  EXPECT_THAT(error_of("{% set n = namespace(x=['ab']) %}{% for i in range(150) %}"
                       "{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}"),
              testing::HasSubstr("steps"));
}

TEST(ChatTemplate, RefusesSourcesThatAreTooLargeOrNotText) {
  EXPECT_THAT(error_of(std::string((1 << 20) + 1, 'x')), testing::HasSubstr("limit"));
  EXPECT_THAT(error_of("\xFF"), testing::HasSubstr("not valid UTF-8"));
}

TEST(ChatTemplate, PassesBytesThatAreNotUtf8Through) {
  const OrderedJson variables = {{"x", std::string("a\xFF\xE4\xB8z")}};
  EXPECT_EQ(render("{{ x }}{{ x | upper }}{{ x | length }}{{ x[1:3] }}", variables),
            "a\xFF\xE4\xB8zA\xFF\xE4\xB8Z5\xFF\xE4");
}

TEST(ChatTemplate, MarksUserTextThroughEveryOperation) {
  const OrderedJson user = {
      {"u", " <Ab>\n<cd> "}, {"list", {"<x>", "y"}}, {"dict", {{"<k>", "v"}}}};
  const std::string kExpressions[] = {"u",
                                      "u | trim",
                                      "u | upper",
                                      "u | lower",
                                      "u | title",
                                      "u.title()",
                                      "u | capitalize",
                                      "u[1:4]",
                                      "u[::-1]",
                                      "u[1]",
                                      "u.split('\\n')[1]",
                                      "u.split() | join",
                                      "u | replace('A', '')",
                                      "u.strip()",
                                      "u * 2",
                                      "u ~ u",
                                      "u + u",
                                      "u | list | join",
                                      "list | join",
                                      "list | first",
                                      "dict.keys() | first",
                                      "dict | first",
                                      "u.partition('A')[2]",
                                      "u | string",
                                      "u.splitlines() | last",
                                      "list | sort | first",
                                      "u.removeprefix(' ')",
                                      "u | safe",
                                      "u.rsplit('<', 1)[1]",
                                      "dict | dictsort | first | first",
                                      "u | default('')"};
  for (const std::string& expression : kExpressions) {
    const auto marked =
        ChatTemplate("{{ " + expression + " }}").render_marked(OrderedJson::object(), user);
    EXPECT_FALSE(marked.text.empty()) << expression;
    EXPECT_EQ(marked.user, std::vector<bool>(marked.text.size(), true)) << expression;
  }
  const auto json =
      ChatTemplate("<{{ list | tojson }}{{ list }}>").render_marked(OrderedJson::object(), user);
  EXPECT_EQ(json.text, R"(<["<x>", "y"]['<x>', 'y']>)");
  std::string from_user;
  for (std::size_t i = 0; i < json.text.size(); ++i) {
    if (json.user[i]) from_user += json.text[i];
  }
  EXPECT_EQ(from_user, "<x>y<x>y");
}

TEST(ChatTemplate, RendersTheSameWithAndWithoutMarks) {
  for (const auto& row : read_rows("vectors.json")) {
    if (!row.contains("expected")) continue;
    const ChatTemplate chat(read_file(kData / row["template"].get<std::string>()));
    OrderedJson trusted = row["variables"];
    const OrderedJson user = {{"messages", trusted["messages"]}};
    trusted.erase("messages");
    EXPECT_EQ(chat.render_marked(trusted, user).text, row["expected"].get<std::string>());
  }
}

TEST(ChatTemplate, RendersPlainJsonVariables) {
  const Json variables = {{"messages", {{{"role", "user"}, {"content", "hi"}}}}, {"n", 2}};
  EXPECT_EQ(ChatTemplate("{{ messages[0].content * n }}").render(variables), "hihi");
  EXPECT_THROW(ChatTemplate("").render(Json::array()), Error);
}

}  // namespace
}  // namespace umf
