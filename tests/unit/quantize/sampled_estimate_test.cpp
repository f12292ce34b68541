#include "core/quantize/sampled_estimate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/ops/quantize/estimate_settings.h"
#include "core/quantize/quantizer.h"
#include "core/store/objects/version_chain.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;

constexpr std::size_t kRows = 96;
constexpr std::size_t kColumns = 128;
constexpr std::size_t kLayers = 12;

/// Layers of a matrix and a bias each.
std::unique_ptr<MemoryModel> layers(const std::vector<std::string>& matrices,
                                    const std::vector<std::string>& biases) {
  std::vector<MemoryModel::Weight> weights;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const std::string layer = "layer." + std::to_string(i);
    weights.push_back({layer + ".weight", ElementType::F32, {kRows, kColumns}, matrices[i]});
    weights.push_back({layer + ".bias", ElementType::F32, {kColumns}, biases[i]});
  }
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header", weights, "tail");
  return model;
}

class SampledEstimateTest : public test::StoreFixture {
 protected:
  SampledEstimateTest() {
    for (unsigned i = 0; i < kLayers; ++i) {
      matrices_.push_back(test::randomFloats(kRows * kColumns, 10 + i));
      biases_.push_back(test::randomFloats(kColumns, 50 + i));
    }
    import("base", *layers(matrices_, biases_));
    tuned_ = tuned();
  }

  std::unique_ptr<MemoryModel> tuned() const {
    std::vector<std::string> matrices;
    std::vector<std::string> biases;
    for (unsigned i = 0; i < kLayers; ++i) {
      matrices.push_back(test::tunedFloats(matrices_[i], 0.2 + 0.05 * i, 100 + i));
      biases.push_back(test::tunedFloats(biases_[i], 1, 200 + i));
    }
    return layers(matrices, biases);
  }

  std::unique_ptr<Quantizer> quantizer(const ModelSource& model) {
    const auto versions = store().catalog().versions();
    auto parent = openVersion(store(), versions->front().contentDigest);
    EXPECT_TRUE(parent) << parent.error().message;
    auto made = Quantizer::open(model, *parent, nullptr, 512'000'000);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  static double bytesOf(const QuantizedCandidate& candidate) {
    const auto bytes = candidate.storedBytes({});
    EXPECT_TRUE(bytes);
    return bytes ? static_cast<double>(*bytes) : 0;
  }

  static QuantizeSettings of(CodecId codec, double scale = 1) {
    QuantizeSettings settings;
    settings.rules.push_back({.codec = codec});
    settings.stepScale = scale;
    return settings;
  }

  std::vector<std::string> matrices_, biases_;
  std::unique_ptr<MemoryModel> tuned_;
};

constexpr std::uint64_t kQuarter = kLayers * kRows * kColumns;  // of its bytes

TEST_F(SampledEstimateTest, IsNearTheMeasurementForEveryCodec) {
  const auto maker = quantizer(*tuned_);
  for (const CodecId codec :
       {CodecId::Patterns, CodecId::Levels, CodecId::Exponent, CodecId::Sign, CodecId::Index}) {
    SCOPED_TRACE(static_cast<int>(codec));
    const auto truth = maker->make(of(codec), {}, {});
    const auto estimate = maker->estimate(of(codec), {.bytes = kQuarter}, {});
    ASSERT_TRUE(truth) << truth.error().message;
    ASSERT_TRUE(estimate) << estimate.error().message;
    const auto stored = bytesOf(*truth);
    EXPECT_NEAR(estimate->storedBytes.value, stored, 0.08 * stored);
    EXPECT_NEAR(estimate->relativeError.value, truth->relativeError, 0.05 * truth->relativeError);
    EXPECT_LE(estimate->storedBytes.low, estimate->storedBytes.value);
    EXPECT_GE(estimate->storedBytes.high, estimate->storedBytes.value);
    EXPECT_LT(estimate->sampledTensors, estimate->tensorCount / 2);
    EXPECT_EQ(estimate->tensorCount, 2 * kLayers);
  }
}

TEST_F(SampledEstimateTest, IsTheMeasurementWhereEverythingIsSampled) {
  const auto maker = quantizer(*tuned_);
  const auto truth = maker->make(of(CodecId::Levels), {}, {});
  const auto estimate = maker->estimate(of(CodecId::Levels), {.bytes = 1'000'000'000}, {});
  ASSERT_TRUE(truth && estimate);
  EXPECT_NEAR(estimate->storedBytes.value, bytesOf(*truth), 64);
  EXPECT_FLOAT_EQ(static_cast<float>(estimate->relativeError.value),
                  static_cast<float>(truth->relativeError));
  EXPECT_EQ(estimate->sampledTensors, 2 * kLayers);
}

TEST_F(SampledEstimateTest, GivesTheSameNumbersForTheSameSeed) {
  const auto maker = quantizer(*tuned_);
  const auto once = maker->estimate({}, {.bytes = kQuarter, .seed = 3}, {});
  const auto again = maker->estimate({}, {.bytes = kQuarter, .seed = 3}, {});
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->storedBytes.value, again->storedBytes.value);
  EXPECT_EQ(once->relativeError.value, again->relativeError.value);
}

TEST_F(SampledEstimateTest, FollowsTheSettings) {
  const auto maker = quantizer(*tuned_);
  const auto fine = maker->estimate(of(CodecId::Levels, 0.5), {.bytes = kQuarter}, {});
  const auto coarse = maker->estimate(of(CodecId::Levels, 2), {.bytes = kQuarter}, {});
  ASSERT_TRUE(fine && coarse);
  EXPECT_GT(fine->storedBytes.value, coarse->storedBytes.value);
  EXPECT_LT(fine->relativeError.value, coarse->relativeError.value);
}

TEST_F(SampledEstimateTest, NamesTheWorstOfTheTensorsItSaw) {
  const auto estimate = quantizer(*tuned_)->estimate({}, {.bytes = kQuarter}, {});
  ASSERT_TRUE(estimate);
  ASSERT_EQ(estimate->worst.size(), 3U);
  EXPECT_GE(estimate->worst[0].relativeError, estimate->worst[1].relativeError);
  EXPECT_NE(estimate->worst[0].name.find("layer."), std::string::npos);
}

TEST_F(SampledEstimateTest, CodesNothingOfAModelThatEqualsItsParent) {
  const auto same = layers(matrices_, biases_);
  const auto maker = quantizer(*same);
  const auto truth = maker->make({}, {}, {});
  const auto estimate = maker->estimate({}, {}, {});
  ASSERT_TRUE(truth && estimate);
  EXPECT_EQ(estimate->sampledTensors, 0U);
  EXPECT_EQ(estimate->relativeError.value, 0);
  EXPECT_NEAR(estimate->storedBytes.value, bytesOf(*truth), 200);
}

TEST_F(SampledEstimateTest, BearsTensorsThatCannotBeQuantized) {
  std::vector<std::string> broken = matrices_;
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  for (std::string& words : broken) std::memcpy(words.data(), &nothing, sizeof nothing);
  const auto model = layers(broken, biases_);
  const auto estimate = quantizer(*model)->estimate({}, {.bytes = kQuarter}, {});
  ASSERT_TRUE(estimate) << estimate.error().message;
  EXPECT_GT(estimate->storedBytes.value, 0);
  EXPECT_EQ(estimate->relativeError.value, 0);
}

TEST_F(SampledEstimateTest, StopsWhenItIsAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  const auto estimate = quantizer(*tuned_)->estimate({}, {}, stop.get_token());
  ASSERT_FALSE(estimate);
  EXPECT_EQ(estimate.error().code, ErrorCode::Cancelled);
}

TEST_F(SampledEstimateTest, SaysWhatTheModelIsADifferenceTo) {
  const auto estimator = SettingsEstimator::open(store(), *tuned_, {});
  ASSERT_TRUE(estimator) << estimator.error().message;
  const auto report = (*estimator)->estimate({}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->parentLabel, "base:v1");
  EXPECT_EQ(report->originalBytes, tuned_->bytesOf(0).size());
}

TEST_F(SampledEstimateTest, NeedsABase) {
  MemoryModel other;
  other.addFile("other.safetensors", "x",
                {{"q", ElementType::F32, {64, 64}, test::randomFloats(64 * 64, 900)}});
  const auto estimator = SettingsEstimator::open(store(), other, {});
  ASSERT_FALSE(estimator);
  EXPECT_EQ(estimator.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace strata
