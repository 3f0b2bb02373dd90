#include "setup/terminal.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Terminal, ALineLeavesTheLastColumnFree) {
  EXPECT_EQ(fitting("12/96 passes", 13), "12/96 passes");
  EXPECT_EQ(fitting("12/96 passes", 12), "12/96 passe");
  EXPECT_EQ(fitting("12/96 passes", 1), "");
  EXPECT_EQ(fitting("12/96 passes", 0), "12/96 passes") << "of unknown width";
}

TEST(Terminal, ALineIsCutBetweenCharacters) {
  EXPECT_EQ(fitting("now漢字", 10), "now漢字");
  EXPECT_EQ(fitting("now漢字", 9), "now漢");
  EXPECT_EQ(fitting("now漢字", 6), "now");
  EXPECT_EQ(fitting("漢", 3), "");
}

}  // namespace
}  // namespace umf
