#include "core/device/device.h"

#include <gtest/gtest.h>

#include "kernels/device_engine.h"
#include "tests/support/host_engine.h"

namespace strata::test {
namespace {

using kernels::DeviceFault;

constexpr std::uint64_t kMuchWork = std::uint64_t{1} << 30;

Device::Opener refusing(DeviceFault fault, std::string reason) {
  return [=] { return kernels::DeviceOpening{nullptr, fault, reason}; };
}

void expectCpu(Device& device, std::uint64_t bytes = kMuchWork) {
  const auto engine = device.engineFor(bytes);
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ(*engine, nullptr);
}

TEST(Device, IsNotLookedForWhereTheCpuIsWished) {
  Device device(DeviceWish::Cpu, [] {
    ADD_FAILURE() << "opened";
    return hostOpening();
  });
  expectCpu(device);
}

TEST(Device, IsNotLookedForWhereTheWorkIsLittle) {
  Device device(DeviceWish::Auto, [] {
    ADD_FAILURE() << "opened";
    return hostOpening();
  });
  expectCpu(device, 1 << 20);
}

TEST(Device, IsOpenedOnceForMuchWork) {
  int opened = 0;
  Device device(DeviceWish::Auto, [&] {
    ++opened;
    return hostOpening();
  });
  for (int i = 0; i < 3; ++i) {
    const auto engine = device.engineFor(kMuchWork);
    ASSERT_TRUE(engine);
    EXPECT_NE(*engine, nullptr);
  }
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(device.note(), "");
}

TEST(Device, IsSilentOnMachinesWithoutOne) {
  for (const auto fault : {DeviceFault::NotBuilt, DeviceFault::NoDriver, DeviceFault::NoDevice}) {
    Device device(DeviceWish::Auto, refusing(fault, "none here"));
    expectCpu(device);
    EXPECT_EQ(device.note(), "");
  }
}

TEST(Device, SaysInOneLineWhyAGpuIsNotUsed) {
  for (const auto fault : {DeviceFault::TooOld, DeviceFault::Busy, DeviceFault::OutOfMemory}) {
    Device device(DeviceWish::Auto, refusing(fault, "Tesla M60: too old"));
    expectCpu(device);
    EXPECT_EQ(device.note(), "the CPU did the work: Tesla M60: too old");
  }
}

TEST(Device, FailsWithTheReasonWhereItIsInsistedOn) {
  Device device(DeviceWish::Cuda, refusing(DeviceFault::NoDriver, "no CUDA driver is installed"));
  const auto engine = device.engineFor(1);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::Device);
  EXPECT_EQ(engine.error().message, "--device cuda: no CUDA driver is installed");
}

TEST(Device, LeavesTheRestToTheCpuOnceItFailed) {
  Device device(DeviceWish::Auto, [] { return hostOpening(); });
  ASSERT_TRUE(device.engineFor(kMuchWork));
  ASSERT_TRUE(device.giveUp("out of memory"));
  EXPECT_TRUE(device.hasGivenUp());
  expectCpu(device);
  EXPECT_EQ(device.note(), "the CPU did the work: the host's engine: out of memory");
}

TEST(Device, IsChosenByTheNamesOfTheSetting) {
  EXPECT_EQ(deviceWishFromName("auto"), DeviceWish::Auto);
  EXPECT_EQ(deviceWishFromName("cpu"), DeviceWish::Cpu);
  EXPECT_EQ(deviceWishFromName("cuda"), DeviceWish::Cuda);
  EXPECT_FALSE(deviceWishFromName("gpu"));
}

}  // namespace
}  // namespace strata::test
