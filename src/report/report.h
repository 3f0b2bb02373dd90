// Runs and solutions as one page that people open from disk.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "page/page.h"

namespace umf {

// One search and its trace, as `umf solve` has them.
struct SolvedProblem {
  std::string id, prompt;
  std::string search;
  long budget = 0;
  int window = 0;
  std::vector<std::string> actions;        // names
  std::vector<std::string> settings = {};  // of the actions, models by number
  std::vector<std::string> models = {};    // names
  std::uint64_t seed = 0;
  double made = 0;                  // when it began, in seconds since 1970
  std::string command = {};         // empty where no command line asked for it
  nlohmann::ordered_json solution;  // of solution_json
  std::string answer, why;
  std::string events;  // of its rollouts, a line each, as a trace has them
};

// An event without what pages do not draw, as a line.
std::string drawn_line(nlohmann::ordered_json event);

// How a problem was searched: a list of events as JSON.
struct DrawnSearch {
  int configuration = 0;
  long budget = 0;
  std::string events;
};

// How problems were searched, as the page tells it.
struct ReportedConfiguration {
  std::string name, search;
  int window = 0;
  std::vector<long> budgets;
  std::vector<std::string> actions;                  // names
  std::vector<std::string> settings = {};            // of the actions, models by number
  std::vector<std::string> models = {};              // names
  std::optional<std::uint64_t> seed = std::nullopt;  // where it is known
};
nlohmann::ordered_json configurations_json(
    const std::vector<ReportedConfiguration>& configurations);

// Searches are the bulk of a page: when it reaches its limit, further ones are left out, and the
// page says so.
class Report {
 public:
  explicit Report(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void add(const SolvedProblem& solved);
  void add(nlohmann::ordered_json run);  // as page/web/report.js reads it
  // Which configurations are better: {"runs","problems","comparisons"} of one data set.
  void add_comparisons(nlohmann::ordered_json compared);
  // The name of the packed block that holds `details`, and the searches while there is room.
  std::string keep(nlohmann::ordered_json details, const std::vector<DrawnSearch>& searches);

  int searches_left_out() const { return left_out_; }
  std::string html(const std::string& title) const;

 private:
  std::size_t limit_bytes_, bytes_ = 0;
  int left_out_ = 0;
  nlohmann::ordered_json runs_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json compared_ = nlohmann::ordered_json::array();
  std::vector<PageData> blocks_;
};

}  // namespace umf
