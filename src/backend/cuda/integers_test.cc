#include "backend/cuda/integers.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace umf {
namespace {

TEST(IntegerStage, EqualListsStandInOnePlace) {
  std::vector<int> host(16);
  IntegerStage stage(host);
  const std::vector<int> a = {1, 2, 3}, b = {1, 2, 4};
  const std::size_t first = stage.place(a);
  EXPECT_NE(stage.place(b), first);
  EXPECT_EQ(stage.place(a), first);
  EXPECT_EQ(host[first + 2], 3);
}

TEST(IntegerStage, APassOfTheSameLengthsFindsTheSamePlaces) {
  std::vector<int> host(16);
  IntegerStage stage(host);
  const std::vector<int> a = {1, 2, 3}, b = {7, 8}, c = {4, 5, 6}, d = {9, 9};
  const std::size_t tokens = stage.place(a), rows = stage.place(b);
  stage.clear();
  EXPECT_EQ(stage.place(c), tokens);
  EXPECT_EQ(stage.place(d), rows);
}

TEST(IntegerStage, OnlyWhatIsNewHasToBeCopied) {
  std::vector<int> host(16);
  IntegerStage stage(host);
  const std::vector<int> a = {1, 2, 3}, b = {4};
  stage.place(a);
  EXPECT_EQ(stage.take_fresh().count, 3u);
  stage.place(a);
  EXPECT_EQ(stage.take_fresh().count, 0u);
  stage.place(b);
  const auto fresh = stage.take_fresh();
  EXPECT_EQ(fresh.first, 3u);
  EXPECT_EQ(fresh.count, 1u);
}

TEST(IntegerStage, TooManyNumbersAreAnError) {
  std::vector<int> host(4);
  IntegerStage stage(host);
  EXPECT_THROW(stage.place(std::vector<int>(5)), Error);
}

}  // namespace
}  // namespace umf
