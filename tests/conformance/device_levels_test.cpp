// The steps that make levels on a device beside the CPU's: the same bits.

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "core/codec/lossy/quantizing_steps.h"
#include "tests/conformance/device_test.h"

namespace strata::test {
namespace {

using kernels::DeviceFault;

enum class Values { Normal, Sparse, AnyBits, Few };

std::vector<float> makeValues(Values kind, std::size_t count) {
  std::mt19937 random(23);
  std::normal_distribution<float> normal(0.0F, 0.0004F);
  std::vector<float> values(count);
  for (float& value : values) {
    const float drawn = normal(random);
    switch (kind) {
      case Values::Normal:
        value = drawn;
        break;
      case Values::Sparse:
        value = random() % 97 == 0 ? drawn : 0;
        break;
      case Values::AnyBits:  // infinities, NaNs and subnormals among them
        value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        break;
      case Values::Few:
        value = 0.25F * static_cast<float>(static_cast<int>(random() % 9) - 4);
    }
  }
  return values;
}

std::vector<std::uint64_t> bitsOf(std::span<const double> numbers) {
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

void expectSame(const LevelSketch& found, const LevelSketch& expected) {
  EXPECT_EQ(found.nonFiniteCount(), expected.nonFiniteCount());
  const auto a = found.buckets();
  const auto b = expected.buckets();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].value, b[i].value);
    ASSERT_EQ(a[i].count, b[i].count);
  }
}

class DeviceLevelsTest : public DeviceTest {
 protected:
  /// Calls f(quantizer) for queues of either order of lanes.
  template <typename F>
  void onDevice(F&& f) {
    for (const bool backwards : {false, true}) {
      const auto queue = makeDeviceQueue(backwards);
      ASSERT_NE(queue, nullptr);
      DeviceQuantizer device(*queue, 1);
      f(device);
      EXPECT_EQ(device.fault(), DeviceFault::None) << kernels::describe(device.fault());
    }
  }
};

TEST_F(DeviceLevelsTest, SketchesAnyValuesAsTheCpuDoes) {
  for (const Values kind : {Values::Normal, Values::Sparse, Values::AnyBits, Values::Few}) {
    for (const std::size_t count : {1U, 31U, 4097U, 100'003U}) {
      SCOPED_TRACE(testing::Message() << "values " << static_cast<int>(kind) << ", " << count);
      const auto values = makeValues(kind, count);
      const LevelSketch expected = sketchOf(values);
      onDevice([&](DeviceQuantizer& device) {
        const auto found = device.sketch(values);
        ASSERT_TRUE(found);
        expectSame(*found, expected);
      });
    }
  }
}

TEST_F(DeviceLevelsTest, FitsAnyNumberOfCentresAsTheCpuDoes) {
  for (const std::size_t count : {300U, 60'000U}) {
    const auto values = makeValues(Values::Normal, count);
    const auto buckets = sketchOf(values).buckets();
    for (const unsigned levels : {1U, 2U, 7U, 16U, 33U, 127U}) {
      for (const double countShare : {0.0, 0.2, 1.0}) {
        SCOPED_TRACE(testing::Message() << levels << " of " << buckets.size() << " buckets, "
                                        << countShare << " for counts");
        ASSERT_GT(buckets.size(), levels);
        const CentreSearch search =
            centreSearch(buckets, {.levelCount = levels, .countShare = countShare, .seed = levels});
        const auto expected = centresOf(search);
        onDevice([&](DeviceQuantizer& device) {
          ASSERT_TRUE(device.sketch(values));
          const auto found = device.centres(search);
          ASSERT_TRUE(found);
          EXPECT_EQ(bitsOf(*found), bitsOf(expected));
        });
      }
    }
  }
}

TEST_F(DeviceLevelsTest, FitsWhereClustersBecomeEmptyAsTheCpuDoes) {
  // Two far groups and many centres: some end between clusters that others take.
  CentreSearch search;
  for (int i = 0; i < 100; ++i) {
    search.values.push_back(static_cast<float>(i < 50 ? i : 1'000'000 + i));
    search.weights.push_back(i % 7 == 0 ? 1e6 : 1e-6);
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> draws(0, 1);
  for (int round = 0; round < 50; ++round) {
    search.draws.assign(1 + random() % 90, 0);
    for (double& draw : search.draws) draw = draws(random);
    search.rounds = static_cast<unsigned>(random() % 12);
    const auto expected = centresOf(search);
    onDevice([&](DeviceQuantizer& device) {
      ASSERT_TRUE(device.sketch(search.values));
      const auto found = device.centres(search);
      ASSERT_TRUE(found);
      EXPECT_EQ(bitsOf(*found), bitsOf(expected));
    });
  }
}

TEST_F(DeviceLevelsTest, FindsTheNearestLevelsOfAnyValuesAsTheCpuDoes) {
  for (const Values kind : {Values::Normal, Values::Sparse, Values::AnyBits, Values::Few}) {
    const auto values = makeValues(kind, 20'001);
    for (const unsigned levels : {1U, 2U, 5U, 16U, 100U, 254U}) {
      std::vector<float> edges;
      for (unsigned i = 1; i < levels; ++i) {
        edges.push_back(1e-3F * (static_cast<float>(i) - static_cast<float>(levels) / 2));
      }
      if (kind == Values::Few && levels == 5) edges = {-1.0F, -0.25F, 0.0F, 0.75F};
      std::vector<std::uint8_t> expected(values.size());
      nearestLevels(values, edges, nullptr, expected.data());
      onDevice([&](DeviceQuantizer& device) {
        std::vector<std::uint8_t> found(values.size());
        ASSERT_TRUE(device.nearest(values, edges, found.data()));
        EXPECT_EQ(found, expected) << levels << " levels, values " << static_cast<int>(kind);
      });
    }
  }
}

TEST_F(DeviceLevelsTest, TakesTheValuesThatItIsGivenLast) {
  const auto first = makeValues(Values::Normal, 9000);
  const auto second = makeValues(Values::Few, 12'000);
  const std::vector<float> edges{-0.3F, 0.0F, 0.3F};
  onDevice([&](DeviceQuantizer& device) {
    for (const auto& values : {first, second, first}) {
      for (int again = 0; again < 2; ++again) {
        const auto sketch = device.sketch(values);
        ASSERT_TRUE(sketch);
        expectSame(*sketch, sketchOf(values));
        std::vector<std::uint8_t> expected(values.size());
        std::vector<std::uint8_t> found(values.size());
        nearestLevels(values, edges, nullptr, expected.data());
        ASSERT_TRUE(device.nearest(values, edges, found.data()));
        EXPECT_EQ(found, expected);
      }
    }
  });
}

TEST(HostDeviceLevels, LeavesTheStepsToTheCpuWhenMemoryRunsOut) {
  const auto values = makeValues(Values::Normal, 5000);
  const std::vector<float> edges{0.0F};
  std::vector<std::uint8_t> out(values.size());
  for (const HostEngineOptions& options :
       {HostEngineOptions{.mostInputBytes = 5000}, HostEngineOptions{.mostRuns = 0}}) {
    const auto queue = hostEngine(options)->makeQueue();
    DeviceQuantizer device(*queue, 1);
    EXPECT_FALSE(device.sketch(values));
    EXPECT_EQ(device.fault(), DeviceFault::OutOfMemory);
    EXPECT_FALSE(device.nearest(values, edges, out.data()));
    expectSame(sketchOf(values, &device), sketchOf(values));
  }
}

TEST(HostDeviceLevels, LeavesFewValuesToTheCpu) {
  std::size_t runs = 0;
  const auto queue = hostEngine({.runs = &runs})->makeQueue();
  DeviceQuantizer device(*queue);
  EXPECT_FALSE(device.sketch(makeValues(Values::Normal, DeviceQuantizer::kLeastValues - 1)));
  EXPECT_FALSE(device.centres({}));
  EXPECT_EQ(runs, 0U);
  EXPECT_EQ(device.fault(), DeviceFault::None);
}

TEST(HostDeviceLevels, DoNotBelieveAWrongDevice) {
  const auto values = makeValues(Values::Normal, 20'000);
  const auto wrong = [](auto&& step) {
    const auto queue = hostEngine({.isWrong = true})->makeQueue();
    DeviceQuantizer device(*queue, 0);
    EXPECT_FALSE(step(device));
    EXPECT_EQ(device.fault(), DeviceFault::Wrong);
  };
  wrong([&](DeviceQuantizer& device) { return device.sketch(values).has_value(); });
  wrong([&](DeviceQuantizer& device) {
    std::vector<std::uint8_t> out(values.size());
    return device.nearest(values, std::vector<float>{0.0F}, out.data());
  });
  wrong([&](DeviceQuantizer& device) {
    return device.centres(centreSearch(sketchOf(values).buckets(), {})).has_value();
  });
}

}  // namespace
}  // namespace strata::test
