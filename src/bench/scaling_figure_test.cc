#include "bench/scaling_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace umf {
namespace {

std::vector<FigureSeries> series(int count) {
  std::vector<FigureSeries> list;
  for (int i = 0; i < count; ++i) {
    const double share = 0.01 * i;
    list.push_back({"c" + std::to_string(i), {{96, share, 0, 1}, {192, share, 0, 1}}});
  }
  return list;
}

// What is drawn beside each name, without its place and its colour.
std::vector<std::string> signs(const std::string& figure) {
  const std::regex sample(
      R"re(stroke-dasharray="([^"]*)"/>\n<path d="M[0-9.]+,[0-9.]+([^"]*)" fill="([^"]*)"[^\n]*\n<text)re");
  std::vector<std::string> list;
  for (auto at = std::sregex_iterator(figure.begin(), figure.end(), sample);
       at != std::sregex_iterator(); ++at)
    list.push_back((*at)[1].str() + "|" + (*at)[2].str() + "|" +
                   ((*at)[3] == "#ffffff" ? "hollow" : "filled"));
  return list;
}

TEST(ScalingFigure, NoTwoCurvesOfAFigureAreToldByColourAlone) {
  for (const int count : {1, 6, 40, 41, 100}) {
    std::size_t shown = 0;
    for (const std::string& figure : scaling_svgs(series(count))) {
      const std::vector<std::string> all = signs(figure);
      EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << count;
      shown += all.size();
    }
    EXPECT_EQ(shown, count) << "and all are shown";
  }
  EXPECT_EQ(scaling_svgs(series(40)).size(), 1);
  EXPECT_EQ(scaling_svgs(series(41)).size(), 2);
  EXPECT_TRUE(scaling_svgs({}).empty());
}

// Of most curves at one end, and of one far from them.
TEST(ScalingFigure, NamesStayInTheFigureAndApart) {
  for (const double low : {0.0, 0.5, 1.0}) {
    std::vector<FigureSeries> list = series(30);
    for (FigureSeries& one : list) one.points.back().y = low;
    list.front().points.back().y = 1;
    const std::string figure = scaling_svgs(list).at(0);
    const std::regex name(R"re(<text x="[0-9.]+" y="(-?[0-9.]+)" fill="#[0-9a-f]+">c[0-9]+<)re");
    std::vector<double> places;
    for (auto at = std::sregex_iterator(figure.begin(), figure.end(), name);
         at != std::sregex_iterator(); ++at)
      places.push_back(std::stod((*at)[1]));
    ASSERT_EQ(places.size(), 30);
    EXPECT_GE(places.front(), 15);
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 14.9);
    EXPECT_LE(places.back(), 30 * 15 + 18 + 5) << "the axis";
  }
}

}  // namespace
}  // namespace umf
