// umf report: tables, curves, trees and texts of runs, in one page.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/export.h"
#include "bench/run_report.h"
#include "cli/common.h"
#include "cli/output.h"
#include "setup/say.h"

namespace umf {
namespace {

struct ReportOptions {
  std::vector<std::string> directories;
  std::string out, title, export_folder;
  int limit_mb = 28;
  bool quiet = false, json = false;
};

void check(const ReportOptions& options) {
  if (options.directories.empty())
    throw Error("umf report needs the directories of one or several runs");
  if (options.out.empty() && options.export_folder.empty())
    throw Error("umf report needs --out FILE.html, --export DIR or both");
  if (options.limit_mb < 1 || options.limit_mb > 1024) throw Error("--limit-mb is from 1 to 1024");
}

// Gives the number of searches for which there was no room.
int write_page(const ReportOptions& options, const Output& out,
               const std::vector<LoadedRun>& runs) {
  Report page(std::size_t{1'000'000} * options.limit_mb);
  add_runs(page, runs);
  std::string title = options.title;
  if (title.empty()) {
    for (const LoadedRun& run : runs) title += (title.empty() ? "" : ", ") + run.name;
  }
  out.write(page.html(title));
  return page.searches_left_out();
}

int report(const ReportOptions& options) {
  check(options);
  const Output out(options.out);
  if (out.to_stdout() && options.json)
    throw Error("--out - and --json would both go to stdout; give --out a file");
  const std::vector<LoadedRun> runs = load_runs(options.directories);
  const int left_out = out ? write_page(options, out, runs) : 0;
  std::vector<std::string> exported;
  if (!options.export_folder.empty()) exported = export_runs(runs, options.export_folder);
  if (options.json)
    print_json({{"out", options.out},
                {"searches_left_out", left_out},
                {"export", options.export_folder},
                {"exported", exported}});
  if (left_out > 0 && !options.quiet)
    say("{} searches were left out to keep the page below {} MB; --limit-mb allows more\n",
        left_out, options.limit_mb);
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
            options.value("export", o->export_folder,
                          "a folder for the tables as CSV and LaTeX and the figure as SVG");
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
