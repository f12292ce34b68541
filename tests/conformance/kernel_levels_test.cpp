// The kernels of the lossy codecs: every set against the plain loops.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/conformance/kernel_sets.h"

namespace strata::test {
namespace {

using kernels::FloatKind;

constexpr std::size_t kWords = 5003;

std::vector<float> edgyValues(unsigned seed) {
  std::vector<float> values;
  for (const auto word : edgyWords<std::uint32_t>(kWords, seed)) {
    values.push_back(std::bit_cast<float>(word));
  }
  return values;
}

/// Sums of infinities of both signs are NaNs whose sign is up to the machine: no codec makes them.
std::vector<float> finiteValues(unsigned seed) {
  auto values = edgyValues(seed);
  for (float& v : values) v = std::isfinite(v) ? v : 1.5F;
  return values;
}

TEST_P(EveryKernelSet, AddsValuesAsThePlainLoopsDo) {
  const auto values = finiteValues(41);
  const auto wide = edgyWords<std::uint32_t>(kWords, 42);
  const auto narrow = edgyWords<std::uint16_t>(kWords, 43);
  for (const std::size_t count : kOddCounts) {
    std::vector<std::uint32_t> found(count);
    std::vector<std::uint32_t> expected(count);
    set().addValues32(wide.data(), values.data(), count, found.data());
    plain().addValues32(wide.data(), values.data(), count, expected.data());
    ASSERT_EQ(found, expected);
    for (const FloatKind kind : {FloatKind::F16, FloatKind::BF16}) {
      std::vector<std::uint16_t> found16(count);
      std::vector<std::uint16_t> expected16(count);
      set().addValues16(narrow.data(), values.data(), kind, count, found16.data());
      plain().addValues16(narrow.data(), values.data(), kind, count, expected16.data());
      ASSERT_EQ(found16, expected16);
    }
  }
}

TEST_P(EveryKernelSet, AddsValuesInOneRounding) {
  const std::vector<std::uint16_t> parent{0x3f80, 0x3f80, 0x7f80, 0xffc1};  // 1, 1, inf, NaN
  const std::vector<float> values{0x1p-8F, 0x1.8p-7F, 5, 5};                // half a place: to even
  std::vector<std::uint16_t> out(4);
  set().addValues16(parent.data(), values.data(), FloatKind::BF16, 4, out.data());
  EXPECT_EQ(out, (std::vector<std::uint16_t>{0x3f80, 0x3f82, 0x7f80, 0xffc1}));
}

TEST_P(EveryKernelSet, FindsNearestLevelsAsThePlainLoopsDo) {
  const auto values = edgyValues(44);
  for (const std::size_t edgeCount : {0UL, 1UL, 3UL, 31UL, 255UL}) {
    std::vector<float> edges;
    for (std::size_t e = 0; e < edgeCount; ++e) {
      edges.push_back(std::ldexp(static_cast<float>(e) - 7.5F, static_cast<int>(e / 8)));
    }
    std::sort(edges.begin(), edges.end());
    for (const std::size_t count : kOddCounts) {
      std::vector<std::uint8_t> found(count + 1, 0xaa);
      set().nearestLevels(values.data(), count, edges.data(), edgeCount, found.data());
      for (std::size_t i = 0; i < count; ++i) {
        const auto below =
            std::count_if(edges.begin(), edges.end(), [&](float edge) { return values[i] > edge; });
        ASSERT_EQ(found[i], below) << values[i];
      }
      EXPECT_EQ(found[count], 0xaa);
    }
  }
}

}  // namespace
}  // namespace strata::test
