#include "bench/scaling_figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "base/elementary.h"
#include "page/page.h"

namespace umf {
namespace {

constexpr double kWidth = 770, kTop = 18, kLeft = 54, kRight = 590, kPlotHeight = 312;
constexpr double kNameHeight = 15;

// After Okabe and Ito, as the pages have them.
constexpr const char* kColours[] = {"#0072b2", "#d05a00", "#00875f", "#a83f8a",
                                    "#3f8fc4", "#9a7400", "#5d6670", "#7a4fc0"};
// Two more signs for each, so that no one has to tell them by colour alone: dashes, and where these
// come again other marks.
constexpr const char* kDashes[] = {"none", "7 3", "2 3", "10 3 2 3", "4 2"};
// Circle, square, triangle and diamond around a place; hollow, then filled.
constexpr const char* kMarks[] = {"m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "m-3.6,-3.6h7.2v7.2h-7.2z",
                                  "m0,-5l4.8,8.4h-9.6z", "m0,-5.2l5.2,5.2l-5.2,5.2l-5.2,-5.2z"};
constexpr std::size_t kMostSeries = std::size(kDashes) * 2 * std::size(kMarks);

const char* colour(std::size_t number) { return kColours[number % std::size(kColours)]; }
const char* dashes(std::size_t number) { return kDashes[number % std::size(kDashes)]; }

std::string mark(std::size_t number, double x, double y) {
  const std::size_t sign = number / std::size(kDashes);
  const bool filled = sign >= std::size(kMarks);
  return fmt::format(
      "<path d=\"M{:.1f},{:.1f}{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"2\"/>\n", x, y,
      kMarks[sign % std::size(kMarks)], filled ? colour(number) : "#ffffff", colour(number));
}

// A round step that gives six marks at most.
double step_for(double range) {
  double power = 1;
  while (power > range / 6) power /= 10;
  while (10 * power <= range / 6) power *= 10;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= range / 6) return factor * power;
  }
  return 10 * power;
}

class Figure {
 public:
  explicit Figure(const std::vector<FigureSeries>& series) : series_(series) {
    bottom_of_plot_ =
        kTop + std::max(kPlotHeight, kNameHeight * static_cast<double>(series.size()));
    for (const FigureSeries& one : series) {
      for (const FigurePoint& point : one.points) {
        budgets_.insert(point.x);
        low_ = std::min(low_, 100 * point.low);
        high_ = std::max(high_, 100 * point.high);
      }
    }
    high_ = std::max(high_, low_ + 1);
  }

  std::string svg() {
    add_axes();
    for (std::size_t i = 0; i < series_.size(); ++i) add_series(i);
    add_names();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{2}</svg>\n",
        kWidth, bottom_of_plot_ + 50, body_);
  }

 private:
  double x(double budget) const {
    const double least = elementary::log(*budgets_.begin());
    const double most = elementary::log(*budgets_.rbegin());
    const double share = most > least ? (elementary::log(budget) - least) / (most - least) : 0.5;
    return kLeft + 14 + share * (kRight - kLeft - 28);
  }
  double y(double percent) const {
    return bottom_of_plot_ - (percent - low_) / (high_ - low_) * (bottom_of_plot_ - kTop);
  }

  void line(double x1, double y1, double x2, double y2, const std::string& stroke) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, stroke);
  }
  void text(double x, double y, const std::string& attributes, const std::string& words) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes,
                         escape_html(words));
  }

  void add_axes() {
    const double step = step_for(high_ - low_);
    for (double mark = std::ceil(low_ / step) * step; mark <= high_ + step * 1e-9; mark += step) {
      line(kLeft, y(mark), kRight, y(mark), "#dfe3e7");
      text(kLeft - 8, y(mark) + 4, "text-anchor=\"end\"", fmt::format("{:g}", mark));
    }
    double right = -1000;
    for (const double budget : budgets_) {
      line(x(budget), bottom_of_plot_, x(budget), bottom_of_plot_ + 4, "#1c2126");
      if (x(budget) - right < 44) continue;
      right = x(budget);
      text(right, bottom_of_plot_ + 18, "text-anchor=\"middle\"", fmt::format("{:.0f}", budget));
    }
    line(kLeft, bottom_of_plot_, kRight, bottom_of_plot_, "#1c2126");
    text((kLeft + kRight) / 2, bottom_of_plot_ + 40, "text-anchor=\"middle\"",
         "Budget: forward passes (NFE) per problem");
    text(-(kTop + bottom_of_plot_) / 2, 14, "text-anchor=\"middle\" transform=\"rotate(-90)\"",
         "Pass@1 (%)");
  }

  void add_series(std::size_t number) {
    // Side by side, so that intervals of equal budgets can be told apart.
    const double count = static_cast<double>(series_.size());
    const double aside =
        (static_cast<double>(number) - (count - 1) / 2) * std::min(5.0, 24 / count);
    std::string points;
    for (const FigurePoint& point : series_[number].points) {
      const double at = x(point.x) + aside;
      points += fmt::format("{:.1f},{:.1f} ", at, y(100 * point.y));
      line(at, y(100 * point.low), at, y(100 * point.high), colour(number));
    }
    body_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
        "stroke-dasharray=\"{}\"/>\n",
        points, colour(number), dashes(number));
    for (const FigurePoint& point : series_[number].points)
      body_ += mark(number, x(point.x) + aside, y(100 * point.y));
  }

  // At the ends of their curves, moved apart where they would meet.
  void add_names() {
    std::vector<std::pair<double, std::size_t>> places;
    for (std::size_t i = 0; i < series_.size(); ++i)
      places.emplace_back(y(100 * series_[i].points.back().y), i);
    std::ranges::sort(places);
    for (std::size_t i = 1; i < places.size(); ++i)
      places[i].first = std::max(places[i].first, places[i - 1].first + kNameHeight);
    // Back up from the bottom: there is room for all of them.
    double below = bottom_of_plot_ + kNameHeight;
    for (auto& [place, number] : std::views::reverse(places))
      below = place = std::min(place, below - kNameHeight);
    for (const auto& [at, number] : places) {
      body_ += fmt::format(
          "<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" stroke=\"{3}\" "
          "stroke-width=\"2\" stroke-dasharray=\"{4}\"/>\n",
          kRight + 4, at, kRight + 34, colour(number), dashes(number));
      body_ += mark(number, kRight + 19, at);
      text(kRight + 39, at + 4, fmt::format("fill=\"{}\"", colour(number)), series_[number].name);
    }
  }

  const std::vector<FigureSeries>& series_;
  std::set<double> budgets_;
  double low_ = 100, high_ = 0, bottom_of_plot_ = 0;
  std::string body_;
};

}  // namespace

std::vector<FigureSeries> scaling_series(const nlohmann::ordered_json& groups,
                                         const std::string& prefix) {
  std::vector<FigureSeries> series;
  for (const auto& group : groups) {
    if (group["pass@1"].is_null()) continue;
    const std::string name = prefix + group["configuration"].get<std::string>();
    if (series.empty() || series.back().name != name) series.push_back({name, {}});
    series.back().points.push_back(
        {group["budget"], group["pass@1"], group["interval"][0], group["interval"][1]});
  }
  return series;
}

std::vector<std::string> scaling_svgs(const std::vector<FigureSeries>& series) {
  std::vector<std::string> figures;
  for (std::size_t first = 0; first < series.size(); first += kMostSeries) {
    const auto begin = series.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = std::min(kMostSeries, series.size() - first);
    const std::vector<FigureSeries> part(begin, begin + static_cast<std::ptrdiff_t>(count));
    figures.push_back(Figure(part).svg());
  }
  return figures;
}

}  // namespace umf
