#include "page/bundle.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace umf {
namespace {

class Bundler {
 public:
  explicit Bundler(const WebFiles& files) : files_(files) {}

  void add(std::string_view name) {
    if (contains(done_, name)) return;
    if (contains(open_, name)) throw Error(fmt::format("page module '{}' imports itself", name));
    open_.push_back(name);
    std::string own;
    std::string_view rest = text_of(name);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      own += line(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    script_ += own;
    open_.pop_back();
    done_.push_back(name);
  }
  std::string script() && { return std::move(script_); }

 private:
  static bool contains(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  std::string_view text_of(std::string_view name) const {
    for (const auto& [known, text] : files_) {
      if (known == name) return text;
    }
    throw Error(fmt::format("there is no page module '{}'", name));
  }

  // What is left of a line; an import is followed instead.
  std::string_view line(std::string_view text) {
    constexpr std::string_view kImport = "import ", kExport = "export ", kFrom = "from \"./";
    if (text.starts_with(kExport)) return text.substr(kExport.size());
    if (!text.starts_with(kImport)) return text;
    const std::size_t from = text.find(kFrom);
    if (from == std::string_view::npos)
      throw Error(fmt::format("cannot follow the page's '{}'", text));
    const std::string_view path = text.substr(from + kFrom.size());
    add(path.substr(0, path.find('"')));
    return {};
  }

  const WebFiles& files_;
  std::vector<std::string_view> open_, done_;
  std::string script_;
};

}  // namespace

std::string bundle(const WebFiles& files, std::string_view main) {
  Bundler bundler(files);
  bundler.add(main);
  return std::move(bundler).script();
}

}  // namespace umf
