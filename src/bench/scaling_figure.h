// Pass@1 over the budget as a figure for papers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace umf {

struct FigurePoint {
  double x = 1, y = 0, low = 0, high = 0;  // x above 0; shares
};
struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points;
};

// The curves of the groups of a summary; `prefix` stands before their names. None of a
// configuration that was not judged.
std::vector<FigureSeries> scaling_series(const nlohmann::ordered_json& groups,
                                         const std::string& prefix);

// SVG files that need nothing else: the budget on a logarithmic axis, percent on the other,
// intervals as lines, names at the ends of their curves. The dashes of a curve and its marks are
// those of no other one in the figure, whatever its colour: of more than 40 there are several.
std::vector<std::string> scaling_svgs(const std::vector<FigureSeries>& series);

}  // namespace umf
