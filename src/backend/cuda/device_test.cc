// Which GPU a thread speaks to.
#include "backend/cuda/device.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <thread>

#include "backend/cuda/cuda_backend.h"
#include "base/error.h"

namespace umf {
namespace {

class Device : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string objection = cuda_objection(); !objection.empty())
      GTEST_SKIP() << "no GPU to test on: " << objection;
  }
  static int count() { return static_cast<int>(cuda_devices().size()); }
};

TEST_F(Device, AScopeMakesItTheThreadsOwn) {
  for (int device = 0; device < count(); ++device) {
    std::thread([device] {
      start_device(device);
      const DeviceScope scope(device);
      EXPECT_EQ(current_device(), device);
    }).join();
  }
}

TEST_F(Device, WhatTheThreadHadBeforeComesBackWhereItWasInUse) {
  for (int device = 0; device < count(); ++device) start_device(device);
  for (int outer = 0; outer < count(); ++outer) {
    for (int inner = 0; inner < count(); ++inner) {
      const DeviceScope scope(outer);
      {
        const DeviceScope other(inner, std::nothrow);
        EXPECT_EQ(current_device(), inner);
      }
      EXPECT_EQ(current_device(), outer);
    }
  }
}

TEST_F(Device, AThreadThatWaitsForAStartedDeviceSleeps) {
  for (int device = 0; device < count(); ++device) {
    start_device(device);
    const DeviceScope scope(device);
    unsigned flags = 0;
    ASSERT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
    EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleBlockingSync}) << device;
  }
}

TEST_F(Device, ASettingIsMadeOnceForEach) {
  OncePerDevice once;
  int made = 0;
  for (int round = 0; round < 3; ++round) {
    for (int device = 0; device < count(); ++device) {
      start_device(device);
      const DeviceScope scope(device);
      once([&] { ++made; });
    }
  }
  EXPECT_EQ(made, count());
}

TEST_F(Device, ThoseThatAreNotThereAreRefused) {
  EXPECT_THROW(make_cuda_backend(count()), Error);
  EXPECT_THROW(make_cuda_backend(-1), Error);
  EXPECT_THROW(DeviceScope(count() + 7), Error);
}

}  // namespace
}  // namespace umf
