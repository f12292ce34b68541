// The search for patterns on a device beside the CPU's: the same bits.

#include <cmath>
#include <random>

#include "core/codec/device/device_quantizer.h"
#include "tests/conformance/device_test.h"

namespace strata::test {
namespace {

using kernels::DeviceFault;

constexpr std::size_t kBlockWords = std::size_t{1} << 14;

enum class Values { Normal, Sparse, Zero, Wide, Equal };

std::vector<float> makeValues(Values kind, std::size_t count) {
  std::mt19937 random(61);
  std::normal_distribution<float> normal(0.0F, 0.0004F);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float drawn = normal(random);
    switch (kind) {
      case Values::Normal:
        values[i] = drawn;
        break;
      case Values::Sparse:
        values[i] = random() % 97 == 0 ? drawn : 0;
        break;
      case Values::Wide:
        values[i] = std::ldexp(drawn, static_cast<int>(random() % 200) - 100);
        break;
      case Values::Equal:  // many peaks are of one size
        values[i] = random() % 2 == 0 ? 0.5F : -0.5F;
        break;
      case Values::Zero:
        values[i] = random() % 2 == 0 ? 0.0F : -0.0F;
    }
  }
  return values;
}

std::vector<PatternMatch> expectedMatches(const PatternSet& set, std::span<const float> values) {
  std::vector<PatternMatch> matches;
  PatternSearch search(set);
  for (std::size_t at = 0; at < values.size(); at += kBlockWords) {
    search.append(values.subspan(at, std::min(kBlockWords, values.size() - at)), matches);
  }
  return matches;
}

void expectSame(const PatternSet& set, Values kind, std::size_t count) {
  SCOPED_TRACE(testing::Message() << "length " << set.length << ", 2^" << set.basesLog2
                                  << " bases, values " << static_cast<int>(kind));
  const auto values = makeValues(kind, count);
  const auto expected = expectedMatches(set, values);
  for (const bool backwards : {false, true}) {
    const auto queue = makeDeviceQueue(backwards);
    ASSERT_NE(queue, nullptr);
    DeviceQuantizer search(*queue, 1);
    const auto found = search.patterns(set, values, kBlockWords);
    ASSERT_TRUE(found) << kernels::describe(search.fault());
    ASSERT_EQ(found->size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ((*found)[i].number, expected[i].number) << "run " << i;
      ASSERT_EQ((*found)[i].peak, expected[i].peak) << "run " << i;
    }
  }
}

class DeviceSearchTest : public DeviceTest {};

TEST_F(DeviceSearchTest, FindsThePatternsOfAnyValuesAsTheCpuDoes) {
  for (const Values kind :
       {Values::Normal, Values::Sparse, Values::Wide, Values::Equal, Values::Zero}) {
    expectSame({.length = 256, .basesLog2 = 4}, kind, 2 * kBlockWords + 777);
  }
}

TEST_F(DeviceSearchTest, FindsPatternsOfAnyLengthAsTheCpuDoes) {
  for (const unsigned length : {8U, 9U, 31U, 32U, 64U, 100U, 500U, 4095U, 4096U}) {
    expectSame({.length = length, .basesLog2 = 3}, Values::Normal, kBlockWords + 4100);
  }
}

TEST_F(DeviceSearchTest, FindsPatternsAmongAnyNumberOfBasesAsTheCpuDoes) {
  for (const unsigned basesLog2 : {0U, 1U, 6U, 9U}) {
    expectSame({.length = 64, .basesLog2 = basesLog2}, Values::Normal, 8000);
  }
}

TEST_F(DeviceSearchTest, FindsThePatternsOfShortPartsAsTheCpuDoes) {
  for (const std::size_t count : {1U, 7U, 63U, 64U, 65U, 2049U}) {
    expectSame({.length = 64, .basesLog2 = 2}, Values::Normal, count);
  }
}

TEST(HostDeviceSearch, LeavesTheSearchToTheCpuWhenMemoryRunsOut) {
  const auto values = makeValues(Values::Normal, 5000);
  for (const HostEngineOptions& options :
       {HostEngineOptions{.mostInputBytes = 5000}, HostEngineOptions{.mostRuns = 0}}) {
    const auto queue = hostEngine(options)->makeQueue();
    DeviceQuantizer search(*queue, 1);
    for (int again = 0; again < 2; ++again) {
      EXPECT_FALSE(search.patterns({.length = 64, .basesLog2 = 2}, values, kBlockWords));
      EXPECT_EQ(search.fault(), DeviceFault::OutOfMemory);
    }
  }
}

TEST(HostDeviceSearch, DoesNotBelieveAWrongDevice) {
  const auto values = makeValues(Values::Normal, 3 * kBlockWords);
  const auto queue = hostEngine({.isWrong = true})->makeQueue();
  DeviceQuantizer search(*queue, 1);
  EXPECT_FALSE(search.patterns({.length = 64, .basesLog2 = 2}, values, kBlockWords));
  EXPECT_EQ(search.fault(), DeviceFault::Wrong);
}

}  // namespace
}  // namespace strata::test
