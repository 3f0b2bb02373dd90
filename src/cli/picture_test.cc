#include "cli/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr PictureFrame kPlain{.columns = 40, .rows = 10, .colour = false};
constexpr PictureFrame kColoured{.columns = 40, .rows = 10, .colour = true};

PaintedCell text(const std::string& bytes, int author = 0) { return {bytes, author}; }
PaintedCell mask() { return {.masked = true}; }
PaintedCell active_mask() { return {.masked = true, .active = true}; }

TEST(Picture, ALineTellsWhoWroteIt) {
  EXPECT_THAT(
      picture({text("def"), text(" f", 1), mask(), mask(), text(":\n"), text("  x", 1)}, kPlain),
      ElementsAre("AB  def f··:", "B     x"));
}

TEST(Picture, AuthorsHaveColoursAndTheNewestWritingStandsOut) {
  const auto lines = picture(
      {text("a", 0), text("b", 1), {.bytes = "c", .author = 1, .fresh = true}, mask()}, kColoured);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0],
            "\x1b[0m\x1b[36ma\x1b[0m\x1b[33mb\x1b[0m\x1b[1;4;33mc"
            "\x1b[0m\x1b[2m·\x1b[0m");
}

TEST(Picture, CharactersCutBetweenCellsAreWhole) {
  EXPECT_THAT(picture({text("\xC3"), text("\xA4", 1)}, kPlain), ElementsAre("A   ä"));
  EXPECT_THAT(picture({text("\xC3"), mask(), text("\xA4")}, kPlain),
              ElementsAre("A   \uFFFD·\uFFFD"));
}

TEST(Picture, TextDoesNotCommandTheTerminal) {
  // An escape sequence, one by a single C1 character, a bell, a return, an override of direction.
  const auto lines = picture({text("\x1b[31mred\xC2\x9B"
                                   "2J\a\r\u202Eevil\u2028x\x7F")},
                             kColoured);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_THAT(lines[0], HasSubstr("\uFFFD[31mred\uFFFD2J\uFFFD\uFFFD\uFFFDevil\uFFFDx\uFFFD"));
  EXPECT_THAT(lines[0], Not(HasSubstr("\x1b[31m")));
  EXPECT_THAT(legend({"a\x1b[2J"}, false, kPlain), "A a\uFFFD[2J");
}

TEST(Picture, NothingIsWiderOrHigherThanTheFrame) {
  const PictureFrame frame{.columns = 10, .rows = 3, .colour = false};
  EXPECT_THAT(picture({text("0123456789")}, frame), ElementsAre("A   01234…"));
  EXPECT_THAT(picture({text("012345")}, frame), ElementsAre("A   012345"));
  EXPECT_THAT(picture({text("漢字漢字")}, frame), ElementsAre("A   漢字…")) << "two columns each";
  std::vector<PaintedCell> lines;
  for (int i = 0; i < 9; ++i) lines.push_back(text(std::to_string(i) + "\n"));
  EXPECT_THAT(picture(lines, frame), ElementsAre("A   0", "A   1", "A   2"));
  lines[6].fresh = true;
  EXPECT_THAT(picture(lines, frame), ElementsAre("A   5", "A   6", "A   7"));
}

TEST(Picture, ManyMasksAreCounted) {
  const std::vector<PaintedCell> masks(90, mask());
  const std::vector<std::string> lines = picture(masks, kPlain);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_THAT(lines[0], HasSubstr("· +66"));
}

TEST(Picture, ActiveMasksStandOutWithAndWithoutColour) {
  const std::vector<PaintedCell> cells = {text("a"),     active_mask(), text("b"),
                                          active_mask(), mask(),        mask()};
  EXPECT_THAT(picture(cells, kPlain), ElementsAre("A   a•b•··"));
  EXPECT_THAT(picture(cells, kColoured),
              ElementsAre("\x1b[0m\x1b[36ma\x1b[0m\x1b[1m•\x1b[0m\x1b[36mb"
                          "\x1b[0m\x1b[1m•\x1b[0m\x1b[2m··\x1b[0m"));
}

TEST(Picture, ActiveAndWaitingMasksAreCountedApart) {
  std::vector<PaintedCell> cells(30, active_mask());
  cells.resize(60, mask());
  const std::vector<std::string> lines =
      picture(cells, {.columns = 80, .rows = 10, .colour = false});
  ASSERT_EQ(lines.size(), 1);
  EXPECT_THAT(lines[0], HasSubstr("• +6 ·"));
  EXPECT_THAT(lines[0], EndsWith("· +6 "));
}

TEST(Picture, ALegendNamesTheAuthors) {
  EXPECT_EQ(legend({"dream", "llada"}, false, kPlain), "A dream  B llada");
  EXPECT_EQ(legend({"dream", "llada"}, false, {.columns = 9, .rows = 1, .colour = false}),
            "A dream…");
  EXPECT_THAT(legend({"dream"}, false, kColoured), HasSubstr("■ dream"));
}

TEST(Picture, WhereThereAreBlocksALegendTellsMasksApart) {
  EXPECT_EQ(legend({"dream"}, true, kPlain), "A dream  • active  · waiting");
  EXPECT_EQ(legend({"dream"}, true, {.columns = 18, .rows = 1, .colour = false}),
            "A dream  • active…");
  EXPECT_THAT(legend({"dream"}, true, kColoured),
              HasSubstr("\x1b[1m  • active\x1b[0m\x1b[2m  · waiting"));
}

}  // namespace
}  // namespace umf
