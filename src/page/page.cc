#include "page/page.h"

#include <fmt/core.h>

#include "base/pack.h"
#include "base/sha256.h"
#include "page/bundle.h"
#include "page/web_files.h"

namespace umf {
namespace {

constexpr std::string_view kNotice =
    "UnMaskFork. Script and style of this page are part of it and under its licence, Apache-2.0; "
    "nothing is loaded from elsewhere.";

// The theme, and what the module's own page adds to it: live.css for live.js.
std::string style_of(const Page& page) {
  const std::string own = fmt::format("{}.css", page.module.substr(0, page.module.rfind(".js")));
  std::string theme, more;
  for (const auto& [name, text] : web_files()) {
    if (name == "theme.css") theme = text;
    if (name == own) more = text;
  }
  return theme + more;
}

std::string script_of(const Page& page) {
  return fmt::format("\"use strict\";\n{}", bundle(web_files(), page.module));
}

std::string source_hash(std::string_view text) {
  return fmt::format("'sha256-{}'", base64(sha256_bytes(text)));
}

std::string policy(std::string_view script, std::string_view style, bool asks_its_server) {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; "
      "form-action 'none'{}",
      source_hash(script), source_hash(style), asks_its_server ? "; connect-src 'self'" : "");
}

std::string json_in_markup(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string page_policy(const Page& page) {
  return policy(script_of(page), style_of(page), page.asks_its_server);
}

std::string page_html(const Page& page) {
  const std::string script = script_of(page), style = style_of(page);
  std::string html = fmt::format(
      "<!doctype html>\n<!-- {} -->\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<noscript>This page is drawn by its script, which is switched off here.</noscript>\n"
      "<main id=\"page\"></main>\n",
      kNotice, policy(script, style, page.asks_its_server), escape_html(page.title), style);
  for (const PageData& data : page.data) {
    html += fmt::format("<script type=\"{}\" id=\"{}\">{}</script>\n",
                        data.packed ? "text/plain" : "application/json", escape_html(data.id),
                        json_in_markup(data.text));
  }
  html += fmt::format("<script>{}</script>\n</body>\n</html>\n", script);
  return html;
}

}  // namespace umf
