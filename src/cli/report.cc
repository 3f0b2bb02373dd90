// umf report: tables, curves, trees and texts of runs, in one page.
#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/run_report.h"
#include "cli/common.h"
#include "cli/output.h"

namespace umf {
namespace {

struct ReportOptions {
  std::vector<std::string> directories;
  std::string out, title;
  int limit_mb = 28;
  bool quiet = false, json = false;
};

std::string name_of_run(const std::string& directory) {
  const auto path = std::filesystem::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

int report(const ReportOptions& options) {
  if (options.directories.empty())
    throw Error("umf report needs the directories of one or several runs");
  if (options.out.empty()) throw Error("umf report needs --out FILE.html");
  if (options.limit_mb < 1 || options.limit_mb > 1024) throw Error("--limit-mb is from 1 to 1024");
  const Output out(options.out);
  if (out.to_stdout() && options.json)
    throw Error("--out - and --json would both go to stdout; give --out a file");
  Report page(std::size_t{1'000'000} * options.limit_mb);
  std::string title = options.title;
  for (const std::string& directory : options.directories) {
    const std::string name = name_of_run(directory);
    add_run(page, RunDirectory::open(directory), name);
    if (options.title.empty()) title += (title.empty() ? "" : ", ") + name;
  }
  out.write(page.html(title));
  if (options.json)
    print_json({{"out", options.out}, {"searches_left_out", page.searches_left_out()}});
  if (page.searches_left_out() > 0 && !options.quiet)
    fmt::print(stderr,
               "{} searches were left out to keep the page below {} MB; --limit-mb allows more\n",
               page.searches_left_out(), options.limit_mb);
  return 0;
}

}  // namespace

Command report_command() {
  return {"report", "one page with the curves, tables, trees and texts of runs",
          [](OptionSet& options) {
            auto o = std::make_shared<ReportOptions>();
            options.arguments("DIR", o->directories, "run directories of umf bench");
            options.value("out", o->out,
                          "the page: one HTML file that needs nothing else; - for stdout");
            options.value("title", o->title, "its title; the names of the runs without");
            options.value("limit-mb", o->limit_mb, "leave out searches beyond this size");
            options.flag("quiet", o->quiet, "say nothing beside errors");
            options.flag("json", o->json, "what was written, as JSON");
            options.footer(
                "Runs may be unfinished: the page shows what is there. Nothing is written to "
                "them.");
            return [o] { return report(*o); };
          }};
}

}  // namespace umf
