#include <gtest/gtest.h>

#include "tests/support/host_engine.h"
#include "tests/support/version_store.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata::test {
namespace {

/// A base and a tuned version of it, written with and without a device.
class DeviceAdd : public StoreFixture {
 protected:
  DeviceAdd() : base_(makeModel(1, 300'000)), tuned_(makeTuned(*base_, 2)) {}

  /// Every tensor that can be is quantized so.
  WriteOptions quantized(CodecId codec, const LossySettings& settings) const {
    WriteOptions options;
    const LossyChoice choice{.codec = codec, .settings = settings};
    options.lossy.assign(tuned_->description().tensors.size(), choice);
    return options;
  }
  WriteOptions withPatterns() const { return quantized(CodecId::Patterns, {.patternLength = 64}); }

  Result<WriteReport> write(VersionStore& versions, Device* device, WriteOptions options) const {
    const Reader parent = versions.reader(versions.add(*base_));
    options.device = device;
    return writeVersion(*tuned_, parent, options, versions.objects, {}, {});
  }

  /// All objects are those of the CPU.
  void expectSameObjects(Device& device, const WriteOptions& options = {}) const {
    VersionStore cpu;
    VersionStore gpu;
    const auto expected = write(cpu, nullptr, options);
    ASSERT_TRUE(expected) << expected.error().message;
    const auto report = write(gpu, &device, options);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(gpu.objects.all() == cpu.objects.all());
  }

  void expectRefused(const HostEngineOptions& engine, std::string_view reason,
                     const WriteOptions& options = {}) const {
    Device insisted(DeviceWish::Cuda, [&] { return hostOpening(engine); });
    VersionStore versions;
    const auto refused = write(versions, &insisted, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Device);
    EXPECT_NE(refused.error().message.find(reason), std::string::npos) << refused.error().message;
  }

  std::unique_ptr<MemoryModel> base_;
  std::unique_ptr<MemoryModel> tuned_;
};

TEST_F(DeviceAdd, WritesTheObjectsThatTheCpuWrites) {
  for (const Effort effort : {Effort::Fast, Effort::Default, Effort::Best}) {
    std::size_t encoded = 0;
    Device device(DeviceWish::Cuda, [&] { return hostOpening({.encoded = &encoded}); });
    expectSameObjects(device, {{.effort = effort}, {}});
    EXPECT_GE(encoded, 6U) << "the blocks of both large weights were not encoded on the device";
    EXPECT_EQ(device.note(), "");
  }
}

TEST_F(DeviceAdd, GoesOnWithTheCpuWhenMemoryRunsOut) {
  for (const HostEngineOptions& options :
       {HostEngineOptions{.mostInputBytes = 5000}, HostEngineOptions{.mostRuns = 1}}) {
    Device device(
        DeviceWish::Auto, [&] { return hostOpening(options); }, 0);
    expectSameObjects(device);
    EXPECT_NE(device.note().find("out of memory"), std::string::npos) << device.note();
    expectRefused(options, "out of memory");
  }
}

TEST_F(DeviceAdd, DoesNotBelieveAWrongDevice) {
  Device device(
      DeviceWish::Auto, [] { return hostOpening({.isWrong = true}); }, 0);
  expectSameObjects(device);
  EXPECT_NE(device.note().find("it encoded words wrongly"), std::string::npos) << device.note();
  expectRefused({.isWrong = true}, "it encoded words wrongly");
}

TEST_F(DeviceAdd, FindsThePatternsThatTheCpuFinds) {
  std::size_t searched = 0;
  Device device(DeviceWish::Cuda, [&] { return hostOpening({.searched = &searched}); });
  expectSameObjects(device, withPatterns());
  EXPECT_GE(searched, 2 * (std::size_t{1} << 16) / 64)
      << "the patterns of the large weights were not searched for on the device";
  EXPECT_EQ(device.note(), "");
}

TEST_F(DeviceAdd, MakesTheLevelsThatTheCpuMakes) {
  const LossySettings settings{
      .step = 0.001, .levelCount = 16, .pruneShare = 0.3, .protectShare = 0.01};
  const auto expectLevels = [&](CodecId codec, std::size_t steps) {
    std::size_t quantized = 0;
    Device device(DeviceWish::Cuda, [&] { return hostOpening({.quantized = &quantized}); });
    expectSameObjects(device, this->quantized(codec, settings));
    EXPECT_EQ(quantized, steps) << "of both large weights, " << name(codec);
    EXPECT_EQ(device.note(), "");
  };
  // A sketch, a fit and an assignment of the difference; of `index` of both sides, and the base's
  // once more by the codebook of the words.
  expectLevels(CodecId::Levels, 2 * 3);
  expectLevels(CodecId::Index, 2 * 7);
}

TEST_F(DeviceAdd, MakesUniformLevelsWithoutTheDevice) {
  std::size_t runs = 0;
  Device device(DeviceWish::Cuda, [&] { return hostOpening({.runs = &runs}); });
  expectSameObjects(device, quantized(CodecId::Levels, {.step = 0.001}));
  EXPECT_EQ(runs, 0U);
}

TEST_F(DeviceAdd, FindsPatternsOnTheCpuWhereTheDeviceIsOfNoUse) {
  const auto expectCpu = [&](const HostEngineOptions& engine, std::string_view reason) {
    Device device(
        DeviceWish::Auto, [&] { return hostOpening(engine); }, 0);
    expectSameObjects(device, withPatterns());
    EXPECT_NE(device.note().find(reason), std::string::npos) << device.note();
    expectRefused(engine, reason, withPatterns());
  };
  expectCpu({.mostRuns = 1}, "out of memory");
  expectCpu({.isWrong = true}, "wrong results");
}

TEST_F(DeviceAdd, FailsWhereADeviceIsInsistedOnThatIsNotThere) {
  import("base", *base_);
  Device device(DeviceWish::Cuda, [] {
    return kernels::DeviceOpening{nullptr, kernels::DeviceFault::NoDevice, "no CUDA device"};
  });
  // The base is stored already: there would be nothing to encode.
  for (const MemoryModel* model : {tuned_.get(), base_.get()}) {
    const auto refused = addVersion(store(), *model, {.name = "tune", .device = &device}, {}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Device);
    EXPECT_EQ(refused.error().message, "--device cuda: no CUDA device");
  }
}

TEST_F(DeviceAdd, StoresWhatRestores) {
  import("base", *base_);
  std::size_t encoded = 0;
  Device device(DeviceWish::Cuda, [&] { return hostOpening({.encoded = &encoded}); });
  add(*tuned_, {.name = "tune", .device = &device});
  EXPECT_GT(encoded, 0U);
  EXPECT_TRUE(comesBack("tune", *tuned_));
}

}  // namespace
}  // namespace strata::test
