#include "core/match/matcher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "synthetic_model.h"

namespace strata {
namespace {

using namespace test;

// The part that the whole tensor is, if it is one part with a parent.
const PartMatch* wholeOf(const TensorMatch& match) {
  return match.parts.size() == 1 && match.parts[0].parent ? &match.parts[0] : nullptr;
}

testing::AssertionResult isWhole(const TensorMatch& match, std::size_t parent, bool transposed) {
  const PartMatch* whole = wholeOf(match);
  if (whole == nullptr) return testing::AssertionFailure() << match.parts.size() << " parts";
  if (whole->parent->own) return testing::AssertionFailure() << "own";
  if (whole->parent->tensor != parent || whole->parent->transposed != transposed) {
    return testing::AssertionFailure()
           << "parent " << whole->parent->tensor << (whole->parent->transposed ? " turned" : "");
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult isAlone(const TensorMatch& match) {
  if (match.parts.size() == 1 && !match.parts[0].parent) return testing::AssertionSuccess();
  return testing::AssertionFailure() << match.parts.size() << " parts, some with a parent";
}

TEST(WordMatrix, CountsWholeWordsOfWholeRows) {
  const auto matrix = [](ElementType type, std::vector<std::uint64_t> shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t dimension : shape) count *= dimension;
    return wordMatrix(type, shape, bytesOfElements(type, count).value());
  };
  EXPECT_EQ(matrix(ElementType::F32, {4, 3, 2}), (WordMatrix{4, 6}));
  EXPECT_EQ(matrix(ElementType::F32, {7}), (WordMatrix{1, 7}));
  EXPECT_EQ(matrix(ElementType::F32, {}), (WordMatrix{1, 1}));
  EXPECT_EQ(matrix(ElementType::C64, {4, 3}), (WordMatrix{4, 6}));
  EXPECT_EQ(matrix(ElementType::I4, {4, 6}), (WordMatrix{4, 3}));
  EXPECT_EQ(matrix(ElementType::I4, {4, 3}), (WordMatrix{1, 6}));
  EXPECT_EQ(matrix(ElementType::I2, {2, 3}), (WordMatrix{1, 2}));
}

TEST(Matcher, FindsIdenticalWeightsUnderAnyName) {
  const Matrix a = gaussian(64, 32, 1);
  const Matrix b = gaussian(64, 32, 2);
  const SyntheticModel parent({weight("a", a), weight("b", b)});
  const SyntheticModel variant({weight("x", b), weight("a", a)});
  const auto matches = matchOrFail(variant, parent);
  ASSERT_TRUE(isWhole(matches[0], 1, false));
  EXPECT_TRUE(isWhole(matches[1], 0, false));
  EXPECT_TRUE(matches[0].parts[0].identical);
  EXPECT_EQ(matches[0].parts[0].bitsPerWord, 0);
}

TEST(Matcher, FindsTunedWeightsThroughWrappersInNames) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> fineTune;
  for (unsigned i = 0; i < 6; ++i) {
    const Matrix matrix = gaussian(96, 96, i);
    const std::string name = "encoder.layer." + std::to_string(i) + ".dense.weight";
    base.push_back(weight(name, matrix));
    fineTune.push_back(weight("bert." + name, tuned(matrix, i)));
  }
  const auto matches = matchOrFail(SyntheticModel(fineTune), SyntheticModel(base));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

/// Zeros are far from what they replace, so estimates of such differences are of no use.
TEST(Matcher, FindsPrunedWeightsByTheWordsThatAreLeft) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> pruned;
  for (unsigned i = 0; i < 12; ++i) {
    const Matrix matrix = gaussian(256, 256, 50 + i);
    Matrix sparse = matrix;
    for (float& value : sparse.values) value = std::abs(value) < 0.03F ? 0 : value;
    const std::string name = "layer." + std::to_string(i) + ".weight";
    base.push_back(weight(name, matrix));
    pruned.push_back(weight(name, sparse));
  }
  const auto matches = matchOrFail(SyntheticModel(pruned), SyntheticModel(base));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

TEST(Matcher, BelievesContentsOverNumberedNames) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> fineTune;
  for (unsigned i = 0; i < 8; ++i) {
    const Matrix matrix = gaussian(96, 96, i);
    base.push_back(weight("onnx::MatMul_" + std::to_string(800 + i), matrix));
    fineTune.push_back(weight("onnx::MatMul_" + std::to_string(801 + i), tuned(matrix, i)));
  }
  const auto matches = matchOrFail(SyntheticModel(fineTune), SyntheticModel(base));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

TEST(Matcher, BelievesContentsOverRealNamesThatWerePermuted) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> fineTune;
  for (unsigned i = 0; i < 5; ++i) {
    const Matrix matrix = gaussian(96, 96, i);
    base.push_back(weight("layers." + std::to_string(i) + ".mlp.weight", matrix));
    fineTune.push_back(
        weight("layers." + std::to_string((i + 2) % 5) + ".mlp.weight", tuned(matrix, i)));
  }
  const auto matches = matchOrFail(SyntheticModel(fineTune), SyntheticModel(base));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

TEST(Matcher, FindsTransposedMatrices) {
  const Matrix wide = gaussian(128, 48, 1);
  const Matrix square = gaussian(96, 96, 2);
  const Matrix other = gaussian(96, 96, 3);
  const SyntheticModel parent({weight("w", wide), weight("s", square), weight("o", other)});
  const SyntheticModel variant({weight("onnx::MatMul_1", transposed(tuned(wide, 1))),
                                weight("onnx::MatMul_2", transposed(tuned(other, 3))),
                                weight("onnx::MatMul_3", transposed(tuned(square, 2)))});
  const auto matches = matchOrFail(variant, parent);
  EXPECT_TRUE(isWhole(matches[0], 0, true));
  EXPECT_TRUE(isWhole(matches[1], 2, true));
  ASSERT_TRUE(isWhole(matches[2], 1, true));
  EXPECT_LT(meanDifferenceBits(variant.description(), 0, matches[0].parts[0], parent.description()),
            22);
}

TEST(Matcher, GivesNoParentWhereNothingIsRelated) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> other;
  for (unsigned i = 0; i < 6; ++i) {
    const std::string name = "layer." + std::to_string(i) + ".weight";
    for (const ElementType type : {ElementType::F32, ElementType::BF16, ElementType::F16}) {
      base.push_back(weight(name, gaussian(200, 64 + 32 * i, i), type));
      other.push_back(weight(name, gaussian(200, 64 + 32 * i, 100 + i), type));
    }
  }
  for (const TensorMatch& match : matchOrFail(SyntheticModel(other), SyntheticModel(base))) {
    EXPECT_TRUE(isAlone(match));
  }
}

TEST(Matcher, TellsNormsOfLayersApart) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> fineTune;
  for (unsigned i = 0; i < 12; ++i) {
    const Matrix norm = gaussian(1, 384, i, 0.02F, 1);
    base.push_back(vectorWeight("layer." + std::to_string(i) + ".norm.weight", norm));
    fineTune.push_back(
        vectorWeight("model.layer." + std::to_string(i) + ".norm.weight", tuned(norm, i, 0.05F)));
  }
  const auto matches = matchOrFail(SyntheticModel(fineTune), SyntheticModel(base));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

TEST(Matcher, LetsNamesDecideBetweenLikeNorms) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> fineTune;
  for (unsigned i = 0; i < 6; ++i) {
    const std::string name = "layer." + std::to_string(5 - i) + ".norm.weight";
    base.push_back(vectorWeight(name, gaussian(1, 64, 50 + i, 1e-3F, 1)));
    fineTune.push_back(vectorWeight(name, gaussian(1, 64, 80 + i, 1e-3F, 1)));
  }
  const auto matches = matchOrFail(SyntheticModel(fineTune), SyntheticModel(base));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

TEST(Matcher, FollowsPlacesInTheGraphBetweenLikes) {
  const SyntheticModel parent(
      {vectorWeight("encoder.layer.0.norm.weight", gaussian(1, 64, 1, 1e-3F, 1)),
       vectorWeight("encoder.layer.1.norm.weight", gaussian(1, 64, 2, 1e-3F, 1))});
  SyntheticWeight first = vectorWeight("onnx::Mul_7", gaussian(1, 64, 3, 1e-3F, 1));
  first.place = "/encoder/layer.1/norm/Mul:1";
  SyntheticWeight second = vectorWeight("onnx::Mul_8", gaussian(1, 64, 4, 1e-3F, 1));
  second.place = "/encoder/layer.0/norm/Mul:1";
  const auto matches = matchOrFail(SyntheticModel({first, second}), parent);
  EXPECT_TRUE(isWhole(matches[0], 1, false));
  EXPECT_TRUE(isWhole(matches[1], 0, false));
}

TEST(Matcher, PointsTiedWeightsToTheFirstOfThem) {
  const Matrix tied = gaussian(300, 64, 1);
  const SyntheticModel parent({weight("unrelated", gaussian(300, 64, 2))});
  const SyntheticModel variant(
      {weight("in", tied), weight("out", tied), weight("turned", transposed(tied))});
  const auto matches = matchOrFail(variant, parent);
  EXPECT_TRUE(isAlone(matches[0]));
  for (const std::size_t i : {1U, 2U}) {
    const PartMatch* whole = wholeOf(matches[i]);
    ASSERT_NE(whole, nullptr) << i;
    EXPECT_TRUE(whole->parent->own);
    EXPECT_EQ(whole->parent->tensor, 0U);
    EXPECT_EQ(whole->parent->transposed, i == 2);
    EXPECT_EQ(meanDifferenceBits(variant.description(), i, *whole, parent.description()), 0);
  }
}

TEST(Matcher, CrossesFloatTypesOnlyWhereAllowed) {
  const Matrix matrix = gaussian(200, 96, 1);
  const ElementType types[] = {ElementType::F32, ElementType::BF16, ElementType::F16};
  for (const ElementType from : types) {
    const SyntheticModel parent({weight("w", matrix, from)});
    for (const ElementType to : types) {
      if (from == to) continue;
      const SyntheticModel variant({weight("w", tuned(matrix, 5), to)});
      const auto matches = matchOrFail(variant, parent);
      ASSERT_TRUE(isWhole(matches[0], 0, false)) << name(from) << " to " << name(to);
      EXPECT_EQ(matches[0].parts[0].parent->type, from);
      EXPECT_TRUE(isAlone(matchOrFail(variant, parent, {.allowCasts = false})[0]));
    }
  }
}

TEST(Matcher, SeesThroughACastThatWasUndone) {
  const Matrix matrix = gaussian(200, 96, 1);
  Matrix cast = tuned(matrix, 2);
  for (float& value : cast.values) {
    auto bits = std::bit_cast<std::uint32_t>(value);
    bits = (bits + 0x8000U) & 0xFFFF0000U;
    value = std::bit_cast<float>(bits);
  }
  const SyntheticModel parent({weight("a", gaussian(200, 96, 7)), weight("b", matrix)});
  EXPECT_TRUE(isWhole(matchOrFail(SyntheticModel({weight("x", cast)}), parent)[0], 1, false));
}

TEST(Matcher, TakesNansInfinitiesAndDenormals) {
  const auto withOdd = [](Matrix matrix) {
    for (std::size_t i = 0; i + 2 < matrix.values.size(); i += 7) {
      matrix.values[i] = std::numeric_limits<float>::quiet_NaN();
      matrix.values[i + 1] = -std::numeric_limits<float>::infinity();
      matrix.values[i + 2] = std::numeric_limits<float>::denorm_min();
    }
    return matrix;
  };
  const Matrix matrix = gaussian(100, 50, 1);
  const SyntheticModel parent({weight("w", withOdd(matrix))});
  const SyntheticModel variant({weight("v", withOdd(tuned(matrix, 3)))});
  EXPECT_TRUE(isWhole(matchOrFail(variant, parent)[0], 0, false));
}

TEST(Matcher, GivesConstantsNoParentButAnEqualOne) {
  const Matrix zeros{100, 50, std::vector<float>(5000)};
  const SyntheticModel variant({weight("w", zeros)});
  EXPECT_TRUE(
      isAlone(matchOrFail(variant, SyntheticModel({weight("w", gaussian(100, 50, 1))}))[0]));
  const SyntheticModel equal({weight("a", gaussian(100, 50, 1)), weight("b", zeros)});
  EXPECT_TRUE(isWhole(matchOrFail(variant, equal)[0], 1, false));
}

TEST(Matcher, MatchesOneElementByName) {
  const auto scalar = [](float value) { return SyntheticWeight{"logit.scale", {}, {value}}; };
  const SyntheticModel parent({scalar(2.5F)});
  EXPECT_TRUE(isWhole(matchOrFail(SyntheticModel({scalar(2.5001F)}), parent)[0], 0, false));
  EXPECT_TRUE(isAlone(matchOrFail(SyntheticModel({scalar(-31.0F)}), parent)[0]));
}

TEST(Matcher, FindsIntegersBySmallSteps) {
  const auto bytesOf = [](unsigned seed, unsigned change) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 40);
    std::mt19937 changes(seed + 99);
    std::vector<std::byte> bytes(20'000);
    for (std::byte& byte : bytes) {
      const int step = change == 0 ? 0 : static_cast<int>(changes() % (2 * change + 1) - change);
      byte = static_cast<std::byte>(static_cast<int>(normal(random)) + step);
    }
    return bytes;
  };
  SyntheticModel parent(std::vector<SyntheticWeight>{});
  SyntheticModel variant(std::vector<SyntheticWeight>{});
  for (unsigned i = 0; i < 3; ++i) {
    parent.addBytes("q" + std::to_string(i), ElementType::I8, {200, 100}, bytesOf(i, 0));
    variant.addBytes("x" + std::to_string(i), ElementType::I8, {200, 100}, bytesOf(2 - i, 1));
  }
  variant.addBytes("new", ElementType::I8, {200, 100}, bytesOf(70, 0));
  const auto matches = matchOrFail(variant, parent);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(isWhole(matches[i], 2 - i, false)) << i;
  EXPECT_TRUE(isAlone(matches[3]));
}

TEST(Matcher, ReadsFewBlocksOfALargeParent) {
  const Matrix large = gaussian(4000, 256, 1);  // 15.6 blocks
  const SyntheticModel base({weight("w", large)});
  const DescribedParent parent(base.description());
  const SyntheticModel variant({weight("w", tuned(large, 2))});
  EXPECT_TRUE(isWhole(matchOrFail(variant.description(), parent)[0], 0, false));
  EXPECT_LE(parent.readCount(), 4U);
}

TEST(Matcher, StaysExactAmongManyEqualShapes) {
  std::vector<SyntheticWeight> base;
  std::vector<SyntheticWeight> fineTune;
  for (unsigned i = 0; i < 150; ++i) {
    const Matrix matrix = gaussian(24, 20, i);
    base.push_back(weight("experts." + std::to_string(i) + ".up.weight", matrix));
    // The second half carries names that lead to other weights.
    const unsigned named = i < 75 ? i : 224 - i;
    fineTune.push_back(weight("experts." + std::to_string(named) + ".up.weight", tuned(matrix, i)));
  }
  const auto matches = matchOrFail(SyntheticModel(fineTune), SyntheticModel(base));
  for (std::size_t i = 0; i < 150; ++i) EXPECT_TRUE(isWhole(matches[i], i, false)) << i;
}

TEST(Matcher, PassesOnWhatReadingFailsWith) {
  class Broken final : public ParentModel {
   public:
    std::span<const ParentTensor> tensors() const noexcept override { return {&tensor_, 1}; }
    Result<void> read(std::uint32_t, std::uint64_t, std::span<std::byte>) const override {
      return fail(ErrorCode::CorruptData, "block 0 does not match its checksum");
    }

   private:
    ParentTensor tensor_{"w", {50, 20}, ElementType::F32, 0, 0, 1};
  };
  const SyntheticModel variant({weight("w", gaussian(50, 20, 1))});
  const auto matches = matchModel(variant.description(), Broken(), {});
  ASSERT_FALSE(matches);
  EXPECT_EQ(matches.error().code, ErrorCode::CorruptData);
  EXPECT_EQ(matches.error().message, "w: block 0 does not match its checksum");
}

TEST(Matcher, RefusesChecksumsForOtherTensors) {
  const SyntheticModel model({weight("w", gaussian(5, 5, 1))});
  const std::uint64_t checksums[] = {1, 2};
  const auto matches = matchModel(model.description(), DescribedParent(model.description()),
                                  {.variantChecksums = checksums});
  ASSERT_FALSE(matches);
  EXPECT_EQ(matches.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace strata
