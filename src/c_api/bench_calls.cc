// umf_grade() and umf_run(): answers and runs that exist already.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"
#include "bench/summary.h"
#include "c_api/calls.h"
#include "setup/grade_options.h"
#include "setup/judges.h"
#include "setup/option_file.h"

namespace umf {

CallResult grade_samples(const Json& request, Caller& caller) {
  const std::string where = "umf_grade";
  const JsonFields fields(request, where);
  GradeOptions options{.dataset = fields.needed_text("dataset"),
                       .samples = fields.needed_text("samples")};
  Json rest = request;
  rest.erase("dataset");
  rest.erase("samples");
  parse_options(where, words_of(rest, where), [&](OptionSet& set) { options.declare(set); });
  SampleGrading grading(options.request());
  CommonOptions common;
  common.warn = [](const std::string&) {};
  Judges judges(common, {.workers = grading.workers(), .unsafe = options.unsafe},
                caller.stop_token());
  CallResult result;
  result.json["samples"] = OrderedJson::array();
  grading.run(judges.tools(),
              {.line =
                   [&](const OrderedJson& line) {
                     result.json["samples"].push_back(line);
                     if (caller.wants_events()) caller.tell(text_of(line));
                   },
               .judged = [&](int done, int samples, int) { caller.report(done, samples); },
               .stopped = [&] { return caller.stopped(); }});
  result.json["summary"] = grading.summary().json;
  result.interrupted = caller.stopped();
  return result;
}

OrderedJson read_run(const std::string& directory) {
  const RunDirectory run = RunDirectory::open(directory);
  ResultIndex results(run);
  results.refresh();
  OrderedJson rows = OrderedJson::array();
  for (const auto& [key, result] : results.all()) rows.push_back(result_json(result));
  return {{"config", run.manifest().json},
          {"summary", summarise(run.manifest(), results.all())},
          {"rows", std::move(rows)}};
}

}  // namespace umf
