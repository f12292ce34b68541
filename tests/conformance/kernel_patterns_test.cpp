// The search for patterns: every set of kernels against plain definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "kernels/pattern_kernels.h"
#include "tests/conformance/kernel_sets.h"

namespace strata::test {
namespace {

class EveryPatternKernel : public EveryKernelSet {
 protected:
  const kernels::PatternKernels& pattern() const { return kernels::patternKernels(set()); }
};

constexpr unsigned kMostLog2 = 12;

TEST_P(EveryPatternKernel, RoundsRunsToNumbersThatSumUpIn16Bits) {
  std::mt19937 random(51);
  std::normal_distribution<float> normal(0, 1);
  for (unsigned log2 = 0; log2 <= kMostLog2; ++log2) {
    const std::size_t n = std::size_t{1} << log2;
    const std::size_t count = n - random() % ((n + 1) / 2);
    for (const float size : {0.0F, 1e-30F, 1.0F, 1e34F}) {
      std::vector<float> values(count);
      double sum = 0;
      for (float& value : values) sum += std::fabs(value = size * normal(random));
      std::vector<std::int16_t> found(n + 1, 77);
      pattern().roundRun(values.data(), count, log2, found.data());
      EXPECT_EQ(found[n], 77);
      long total = 0;
      for (std::size_t j = 0; j < n; ++j) {
        total += std::abs(found[j]);
        const double exact =
            j < count && sum > 0 ? values[j] * (32766.0 - static_cast<double>(n) / 2) / sum : 0;
        ASSERT_NEAR(found[j], exact, 0.51) << n << " entries of size " << size << ", " << j;
      }
      EXPECT_LE(total, 32767);
    }
  }
}

TEST_P(EveryPatternKernel, InterleavesRuns) {
  for (unsigned log2 = 0; log2 <= kMostLog2; ++log2) {
    const std::size_t n = std::size_t{1} << log2;
    std::vector<std::int16_t> runs(n * kernels::kWalshBatch);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = static_cast<std::int16_t>(i * 31);
    std::vector<std::int16_t> found(runs.size() + 1, 77);
    pattern().interleave(runs.data(), log2, found.data());
    EXPECT_EQ(found.back(), 77);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      ASSERT_EQ(found[i % n * kernels::kWalshBatch + i / n], runs[i]) << n << " entries, " << i;
    }
  }
}

TEST_P(EveryPatternKernel, LoadsRunsUnderTheirFlips) {
  std::mt19937 random(52);
  std::normal_distribution<float> normal(0, 1);
  for (const std::size_t count : {0, 1, 7, 8, 9, 16, 181, 256}) {
    constexpr std::size_t kBatch = kernels::kPatternBatch;
    std::array<std::vector<float>, kBatch> runs;
    std::array<std::vector<std::int16_t>, kBatch> flips;
    const float* of[kBatch];
    const std::int16_t* by[kBatch];
    for (std::size_t r = 0; r < kBatch; ++r) {
      for (std::size_t j = 0; j < count; ++j) {
        runs[r].push_back(j % 5 == 0 ? 0.0F : normal(random));
        flips[r].push_back(random() % 2 == 0 ? 1 : -1);
      }
      of[r] = runs[r].data();
      by[r] = flips[r].data();
    }
    std::vector<float> found((count + 2) * kBatch, 77);
    pattern().loadFlipped(of, by, count, found.data());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t j = i / kBatch;
      const float expected = j < count ? runs[i % kBatch][j] * flips[i % kBatch][j] : 77;
      ASSERT_EQ(found[i], expected) << count << " entries, " << i;
      ASSERT_EQ(std::signbit(found[i]), std::signbit(expected));
    }
  }
}

TEST_P(EveryPatternKernel, ListsTheFlipsNearTheBest) {
  std::mt19937 random(53);
  constexpr std::size_t kBatch = kernels::kWalshBatch;
  constexpr std::int16_t kMargin = 5;
  for (const std::uint32_t bases : {1U, 2U, 64U}) {
    for (const std::size_t runs : {std::size_t{1}, std::size_t{17}, kBatch}) {
      std::vector<std::int16_t> sizes(bases * kBatch);
      for (std::int16_t& size : sizes) size = static_cast<std::int16_t>(random() % 40);
      for (std::size_t i = 3; i < sizes.size(); i += kBatch) sizes[i] = 0;      // a run of zeros
      for (std::size_t i = 0; i < sizes.size(); i += kBatch) sizes[i] = 32767;  // all the same
      std::vector<kernels::FlippedRun> expected;
      for (std::uint32_t m = 0; m < bases; ++m) {
        for (std::uint32_t r = 0; r < runs; ++r) {
          int largest = 0;
          for (std::uint32_t k = 0; k < bases; ++k) {
            largest = std::max<int>(largest, sizes[k * kBatch + r]);
          }
          const bool isNear = largest > 0 && sizes[m * kBatch + r] >= largest - kMargin;
          if (isNear) expected.push_back(r << 16 | m);
        }
      }
      std::vector<kernels::FlippedRun> found(sizes.size());
      found.resize(pattern().listNear(sizes.data(), bases, runs, kMargin, found.data()));
      EXPECT_EQ(found, expected) << bases << " bases, " << runs << " runs";
    }
  }
}

/// The Walsh transform of one vector, by its definition.
template <typename Number>
std::vector<Number> walshTransform(std::vector<Number> x) {
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if ((i & half) != 0) continue;
      const Number sum = x[i] + x[i + half];
      x[i + half] = x[i] - x[i + half];
      x[i] = sum;
    }
  }
  return x;
}

TEST_P(EveryPatternKernel, FindsTheLargestSizesOfWalshTransforms) {
  std::mt19937 random(47);
  constexpr std::size_t kBatch = kernels::kWalshBatch;
  for (unsigned log2 = 0; log2 <= 12; ++log2) {
    const std::size_t n = std::size_t{1} << log2;
    constexpr std::uint32_t kBases = 3;
    std::vector<std::int16_t> flips(n * kBases);
    for (std::int16_t& flip : flips) flip = random() % 2 == 0 ? 1 : -1;
    // The third vector is zero; all of the fourth lies in one entry, all of the fifth in one sum.
    std::vector<std::int16_t> x(n * kBatch);
    const auto most = static_cast<int>(32767 / n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto any = static_cast<int>(random() % (2 * most + 1)) - most;
      const std::size_t vector = i % kBatch;
      const int forth = i / kBatch == n / 2 ? -32767 : 0;
      x[i] = static_cast<std::int16_t>(vector == 2   ? 0
                                       : vector == 3 ? forth
                                       : vector == 4 ? most * flips[i / kBatch]
                                                     : any);
    }
    // Of some runs the last entries are 0.
    const std::size_t count = n - random() % n;
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(count * kBatch), x.end(), std::int16_t{0});
    std::vector<std::int16_t> scratch(x.size(), 99);
    std::vector<std::int16_t> sizes(kBatch * kBases + 1, 77);
    pattern().walshSizes(x.data(), count, log2, flips.data(), kBases, scratch.data(), sizes.data());
    EXPECT_EQ(sizes.back(), 77);
    for (std::size_t i = 0; i < kBatch * kBases; ++i) {
      std::vector<int> entries(n);
      for (std::size_t j = 0; j < n; ++j) {
        entries[j] = x[j * kBatch + i % kBatch] * flips[i / kBatch * n + j];
      }
      int largest = 0;
      for (const int sum : walshTransform(entries)) largest = std::max(largest, std::abs(sum));
      ASSERT_EQ(sizes[i], largest) << n << " entries, vector " << i;
    }
  }
}

TEST_P(EveryPatternKernel, FindsTheFirstOfTheLargestPeaks) {
  std::mt19937 random(48);
  std::normal_distribution<float> normal(0, 1);
  constexpr std::size_t kBatch = kernels::kPatternBatch;
  for (unsigned log2 = 0; log2 <= 12; ++log2) {
    const std::size_t n = std::size_t{1} << log2;
    // The third vector is zero; the fourth has peaks of one size at all places.
    std::vector<float> x(n * kBatch);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t vector = i % kBatch;
      x[i] = vector == 2 || (vector == 3 && i > 3) ? 0.0F : normal(random);
    }
    const std::vector<float> vectors = x;
    std::array<float, kBatch> peaks{};
    std::array<std::uint32_t, kBatch> functions{};
    pattern().walshPeaks(x.data(), log2, peaks.data(), functions.data());
    for (std::size_t p = 0; p < kBatch; ++p) {
      std::vector<float> entries(n);
      for (std::size_t j = 0; j < n; ++j) entries[j] = vectors[j * kBatch + p];
      const std::vector<float> sums = walshTransform(entries);
      const auto first = std::max_element(
          sums.begin(), sums.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
      ASSERT_EQ(functions[p], first - sums.begin()) << n << " entries, vector " << p;
      ASSERT_EQ(peaks[p], *first);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EveryPatternKernel, testing::ValuesIn(kernels::usableKernels()),
                         setName);

}  // namespace
}  // namespace strata::test
