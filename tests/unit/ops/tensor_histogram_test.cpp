#include "core/ops/inspect/tensor_histogram.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

std::string wordsOf(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// 1000 numbers from 0 to 9.99, and a fine-tune under another name that adds 0.5 to each.
class TensorHistogram : public test::StoreFixture {
 protected:
  TensorHistogram() {
    std::vector<float> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100;
    test::MemoryModel base;
    base.addFile("m", "h", {{"w", ElementType::F32, {10, 100}, wordsOf(values)}});
    for (float& value : values) value += 0.5F;
    values[3] = std::numeric_limits<float>::quiet_NaN();
    values[5] = 1000;
    test::MemoryModel tuned;
    tuned.addFile("m", "h",
                  {{"even", ElementType::F32, {50}, wordsOf(std::vector<float>(50, 2.5F))},
                   {"opaque", ElementType::I4, {64}, std::string(32, 'x')},
                   {"v", ElementType::F32, {10, 100}, wordsOf(values)}});
    import("base", base);
    add("tuned", tuned, "base");
  }

  HistogramReport histogram(const std::string& reference, const std::string& tensor) {
    auto report =
        tensorHistogram(store(), {.reference = reference, .tensor = tensor, .binCount = 10}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(HistogramReport{});
  }
};

TEST_F(TensorHistogram, CountsEveryValueOnce) {
  const HistogramReport report = histogram("base", "w");
  EXPECT_FALSE(report.change);
  EXPECT_EQ(report.values.count, 1000U);
  EXPECT_EQ(report.values.zeroCount, 1U);
  EXPECT_EQ(report.values.min, 0);
  EXPECT_NEAR(report.values.max, 9.99, 1e-6);
  EXPECT_NEAR(report.values.mean, 4.995, 1e-6);
  EXPECT_NEAR(report.values.deviation, 2.88675, 1e-5);
  EXPECT_EQ(report.values.bins.size(), 10U);
  for (const std::uint64_t bin : report.values.bins) EXPECT_TRUE(bin >= 99 && bin <= 101) << bin;
}

TEST_F(TensorHistogram, ShowsTheChangeToTheParentsWeight) {
  const HistogramReport report = histogram("tuned", "v");
  ASSERT_TRUE(report.change);
  EXPECT_EQ(report.parentLabel, "base:v1");
  EXPECT_EQ(report.parentTensor, "w");
  EXPECT_EQ(report.change->count, 999U);
  EXPECT_EQ(report.change->notFiniteCount, 1U);
  EXPECT_NEAR(report.change->min, 0.5, 1e-5);
  EXPECT_NEAR(report.change->max, 999.95, 1e-3);
  // The one that is far out does not flatten all others into one bin.
  EXPECT_EQ(report.change->aboveCount, 1U);
  const auto& bins = report.change->bins;
  EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), std::uint64_t{0}), 998U);
}

TEST_F(TensorHistogram, KeepsEqualNumbersInOneBin) {
  const HistogramReport report = histogram("tuned", "even");
  EXPECT_EQ(report.values.bins, std::vector<std::uint64_t>{50});
  EXPECT_EQ(report.values.deviation, 0);
  EXPECT_FALSE(report.change);
}

TEST_F(TensorHistogram, RefusesWhatIsNotThereOrHasNoNumbers) {
  const auto missing = tensorHistogram(store(), {.reference = "base", .tensor = "v"}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
  const auto opaque = tensorHistogram(store(), {.reference = "tuned", .tensor = "opaque"}, {});
  ASSERT_FALSE(opaque);
  EXPECT_EQ(opaque.error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace strata
