#include "model/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

using testing::ElementsAre;

std::vector<DeviceRoom> devices(int count, std::uint64_t room) {
  std::vector<DeviceRoom> list;
  for (int i = 0; i < count; ++i) list.push_back({.number = i, .room = room});
  return list;
}

Placement place(const std::vector<ModelToPlace>& models, const std::vector<DeviceRoom>& devices,
                std::uint64_t limit = 0) {
  return place_models(models, devices, limit);
}

TEST(Placement, WhatFitsOneDeviceIsOnEveryDevice) {
  const Placement placed = place({{10}, {11}}, devices(4, 21));
  EXPECT_EQ(placed.span, 1);
  EXPECT_THAT(placed.places, ElementsAre(0, 0));
  EXPECT_TRUE(placed.fits);
}

TEST(Placement, WhatDoesNotFitOneDeviceIsSpreadInTheOrderOfTheModels) {
  const Placement two = place({{15}, {16}}, devices(4, 21));
  EXPECT_EQ(two.span, 2) << "two groups of two";
  EXPECT_THAT(two.places, ElementsAre(0, 1));
  const Placement three = place({{10}, {16}, {11}, {5}}, devices(4, 21));
  EXPECT_EQ(three.span, 2);
  EXPECT_THAT(three.places, ElementsAre(0, 1, 0, 1)) << "the first device with room";
}

TEST(Placement, TheFullestGroupDecides) {
  std::vector<DeviceRoom> list = devices(4, 21);
  list[2].room = 10;  // somebody else is there
  const Placement placed = place({{15}, {16}}, list);
  EXPECT_EQ(placed.span, 3) << "one of two groups of two would have no room";
  EXPECT_THAT(placed.places, ElementsAre(0, 1));
  EXPECT_TRUE(placed.fits);
}

TEST(Placement, AChosenPlaceStandsAndTheOthersGoAroundIt) {
  const Placement placed = place({{5}, {15, 0}, {3, 1}}, devices(3, 18));
  EXPECT_EQ(placed.span, 2);
  EXPECT_THAT(placed.places, ElementsAre(1, 0, 1));
  const Placement full = place({{15, 0}, {15, 0}}, devices(2, 18));
  EXPECT_THAT(full.places, ElementsAre(0, 0));
  EXPECT_FALSE(full.fits) << "they take turns where they were sent";
}

TEST(Placement, ALimitIsOfEveryDeviceOfTheList) {
  const std::vector<DeviceRoom> twice = {{.number = 0}, {.number = 0}};
  EXPECT_THAT(place({{10}, {10}}, twice, 20).places, ElementsAre(0, 0));
  const Placement spread = place({{10}, {10}}, twice, 19);
  EXPECT_THAT(spread.places, ElementsAre(0, 1)) << "listed twice, it is two devices";
  EXPECT_TRUE(spread.fits);
  EXPECT_FALSE(place({{10}, {10}, {10}}, twice, 19).fits);
}

TEST(Placement, ADeviceThatIsListedTwiceHasOneMemory) {
  const std::vector<DeviceRoom> twice = {{.number = 3, .room = 19}, {.number = 3, .room = 19}};
  EXPECT_FALSE(place({{10}, {10}}, twice).fits);
  const Placement one = place({{10}, {9}}, twice);
  EXPECT_TRUE(one.fits) << "a model is there once for both";
  EXPECT_EQ(one.span, 1);
}

TEST(Placement, WhatStandsThereAlreadyCounts) {
  std::vector<DeviceRoom> list = devices(2, 20);
  list[0].taken = 7;
  const Placement placed = place({{14}}, list);
  EXPECT_EQ(placed.span, 2);
  EXPECT_THAT(placed.places, ElementsAre(1));
  EXPECT_THAT(place({{10}}, list, 16).places, ElementsAre(1)) << "for a limit as well";
}

TEST(Placement, WhoFindsNoRoomGoesWhereMostIsLeft) {
  const Placement placed = place({{12}, {15}, {9}}, devices(2, 20));
  EXPECT_FALSE(placed.fits);
  EXPECT_EQ(placed.span, 2);
  EXPECT_THAT(placed.places, ElementsAre(0, 1, 0));
  EXPECT_THAT(place({{30}, {30}}, devices(2, 20)).places, ElementsAre(0, 1));
}

TEST(Placement, AGuestTakesTheFirstDeviceWithRoom) {
  std::vector<DeviceRoom> list = devices(4, 20);
  list[0].taken = list[2].taken = 15;
  EXPECT_EQ(first_fit(5, list, 0), 0);
  EXPECT_EQ(first_fit(6, list, 0), 1);
  EXPECT_EQ(first_fit(6, list, 5), 1) << "the limit is too tight everywhere: where most is left";
  list[1].taken = list[3].taken = 16;
  EXPECT_EQ(first_fit(6, list, 0), 0);
}

// Two entries for one device, with the same model for the workers of both, and another device.
TEST(Placement, AGuestFindsTheRoomThatOneCopyLeavesOnADeviceThatIsListedTwice) {
  const std::vector<DeviceRoom> list = {
      {.number = 0, .room = 30}, {.number = 0, .room = 30}, {.number = 1, .room = 15}};
  const auto once = with_models(list, std::vector<PlacedModel>{{0, 0, 10}, {0, 1, 10}});
  EXPECT_EQ(first_fit(20, once, 0), 0);
  EXPECT_EQ(first_fit(21, once, 0), 0) << "the roomiest";
  EXPECT_EQ(first_fit(14, once, 15), 2) << "a limit is of each entry: both have the model";
  const auto two = with_models(list, std::vector<PlacedModel>{{0, 0, 10}, {1, 1, 10}});
  EXPECT_EQ(first_fit(20, two, 0), 2) << "two models take the room of two";
  EXPECT_EQ(first_fit(10, two, 0), 0);
  auto held = once;
  held[1].taken += 12;  // a guest, who has a copy of its own
  EXPECT_EQ(first_fit(8, held, 0), 0);
  EXPECT_EQ(first_fit(9, held, 0), 2);
}

TEST(Placement, OneDeviceHasEverything) {
  const Placement placed = place({{30}, {30}}, devices(1, 20));
  EXPECT_EQ(placed.span, 1);
  EXPECT_THAT(placed.places, ElementsAre(0, 0));
  EXPECT_FALSE(placed.fits);
}

}  // namespace
}  // namespace umf
