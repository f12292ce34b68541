#include "core/codec/exact/sized_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/codec/exact/plain_codecs.h"
#include "core/codec/predict/low_rank.h"
#include "tests/conformance/damage_checks.h"

namespace strata::test {
namespace {

/// First moments of a table: rows and columns have sizes of their own. Every third row has had no
/// gradient since the parent, every seventh never had one.
struct MomentTable {
  explicit MomentTable(ElementType type, std::uint64_t rows = 300, std::uint64_t columns = 96) {
    shape = {wordFormat(type), rows, columns};
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> ofColumns(columns);
    for (float& size : ofColumns) size = std::exp2(2 * normal(random));
    std::vector<float> before;
    std::vector<float> now;
    for (std::uint64_t r = 0; r < rows; ++r) {
      const float size = 0.05F * std::exp2(3 * normal(random));
      for (std::uint64_t c = 0; c < columns; ++c) {
        const bool isDead = r % 7 == 6;
        before.push_back(isDead ? 0 : size * ofColumns[c] * normal(random));
        now.push_back(isDead ? 0 : size * ofColumns[c] * normal(random));
      }
    }
    parent = wordsOf(before, type);
    const std::vector<float> rounded = valuesOf(parent, type);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i / columns % 3 == 0) now[i] = rounded[i] * 0.15F;
    }
    words = wordsOf(now, type);
  }

  EncodeInput input() const { return {shape, words, parent}; }
  EncodeInput alone() const { return {shape, words, {}}; }

  PartShape shape;
  Bytes words;
  Bytes parent;
};

constexpr ElementType kTypes[] = {ElementType::F32, ElementType::BF16, ElementType::F16};

class SizedCodec : public testing::TestWithParam<ElementType> {};

TEST_P(SizedCodec, TellsMomentsBySizesOfRowsAndColumns) {
  const MomentTable table(GetParam());
  const SizedPlan plan = planSized(table.alone());
  EXPECT_TRUE(plan.isSigned);
  EXPECT_FALSE(plan.terms.columns.empty());
  const Bytes payload = encodeSized(table.alone(), plan);
  const auto decoded = decodeSample(CodecId::Sized, table.shape, payload, {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(sameBytes(*decoded, table.words));
  const std::size_t planes = encodePlanes(table.alone(), PlanesOf::Words).size();
  // More than a bit a word.
  EXPECT_LT(payload.size() + table.shape.wordCount() / 8, planes);
  EXPECT_NEAR(plan.estimatedBits / 8, static_cast<double>(payload.size()),
              0.02 * static_cast<double>(payload.size()) + 300);
}

TEST_P(SizedCodec, TakesRowsThatDecayFromTheParent) {
  const MomentTable table(GetParam());
  DecayedRows decay = findDecayingRows(table.input());
  ASSERT_EQ(decay.palette.size(), table.shape.rows);
  for (std::size_t r = 0; r < table.shape.rows; ++r) {
    if (r % 7 == 6) continue;
    EXPECT_EQ(decay.palette[r] != 0, r % 3 == 0) << r;
  }
  const Bytes payload = encodeSized(table.input(), planSized(table.input(), std::move(decay)));
  const auto decoded = decodeSample(CodecId::Sized, table.shape, payload, table.parent);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(sameBytes(*decoded, table.words));
  const std::size_t alone = encodeSized(table.alone(), planSized(table.alone())).size();
  EXPECT_LT(payload.size(), alone * 8 / 10);
  const auto without = decodeSample(CodecId::Sized, table.shape, payload, {});
  expectRejected(without, "rows that decay without a parent");
}

TEST_P(SizedCodec, TellsWordsThatAreNoMomentsToo) {
  for (const Content content : kEveryContent) {
    for (const auto& [rows, columns] :
         {std::pair<std::uint64_t, std::uint64_t>{1, 1}, {1, 4099}, {4099, 1}, {70, 1001}}) {
      const PartSample sample = makeSample({wordFormat(GetParam()), rows, columns}, content, 9);
      const Bytes payload = encodeSized(sample.alone(), planSized(sample.alone()));
      const auto decoded = decodeSample(CodecId::Sized, sample.shape, payload, {});
      ASSERT_TRUE(decoded) << nameOf(content) << ": " << decoded.error().message;
      EXPECT_TRUE(sameBytes(*decoded, sample.words)) << nameOf(content);
    }
  }
}

TEST_P(SizedCodec, LeavesNoBitForSignsThatAreAlike) {
  MomentTable table(GetParam());
  std::vector<float> squares = valuesOf(table.words, GetParam());
  for (float& value : squares) value = std::fabs(value);
  table.words = wordsOf(squares, GetParam());
  const SizedPlan plan = planSized(table.alone());
  EXPECT_FALSE(plan.isSigned);
  const MomentTable both(GetParam());
  const std::size_t live = table.shape.wordCount() * 6 / 7;
  EXPECT_LT(encodeSized(table.alone(), plan).size() + live / 8 - live / 80,
            encodeSized(both.alone(), planSized(both.alone())).size());
}

INSTANTIATE_TEST_SUITE_P(Types, SizedCodec, testing::ValuesIn(kTypes),
                         [](const auto& one) { return std::string(name(one.param)); });

/// Moments of a matrix whose gradients have a low rank.
MomentTable lowRankTable(std::uint64_t rows, std::uint64_t columns) {
  MomentTable table(ElementType::F32, rows, columns);
  std::mt19937 random(8);
  std::normal_distribution<float> normal;
  std::vector<float> a(rows);
  std::vector<float> b(columns);
  for (float& one : a) one = 1e-3F * normal(random);
  for (float& one : b) one = normal(random);
  std::vector<float> values;
  for (const float ofRow : a) {
    for (const float ofColumn : b) values.push_back(ofRow * ofColumn + 1e-4F * normal(random));
  }
  table.words = wordsOf(values, ElementType::F32);
  return table;
}

TEST(SizedLowRank, TellsWhatAMatrixHasInCommon) {
  const MomentTable table = lowRankTable(200, 300);
  SizedPlan plan = planSized(table.alone());
  EXPECT_EQ(plan.factors.rank, 1U);
  const Bytes payload = encodeSized(table.alone(), plan);
  const auto decoded = decodeSample(CodecId::Sized, table.shape, payload, {});
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(sameBytes(*decoded, table.words));
  plan.factors = {};
  EXPECT_LT(payload.size() + table.shape.wordCount() / 16, encodeSized(table.alone(), plan).size());
}

TEST(SizedLowRank, GivesNoOtherWordsWhenDamaged) {
  const MomentTable table = lowRankTable(20, 24);
  SizedPlan plan = planSized(table.alone());
  plan.factors = fitLowRank(table.shape, valuesOf(table.words, ElementType::F32), 1);
  ASSERT_NE(plan.factors.rank, 0U);
  const Bytes payload = encodeSized(table.alone(), plan);
  const Decode decode = [&](std::span<const std::byte> damaged) {
    return decodeSample(CodecId::Sized, table.shape, damaged, {});
  };
  expectEveryCutRejected(payload, decode);
  expectNoFlipBelieved(payload, decode, table.words);
}

class DamagedSizedPayload : public testing::Test {
 protected:
  MomentTable table_{ElementType::F32, 20, 16};
  Bytes payload_ =
      encodeSized(table_.input(), planSized(table_.input(), findDecayingRows(table_.input())));
  Decode decode_ = [this](std::span<const std::byte> payload) {
    return decodeSample(CodecId::Sized, table_.shape, payload, table_.parent);
  };
};

TEST_F(DamagedSizedPayload, IsRejectedWhenCutAtAnyByte) {
  ASSERT_NE(payload_[0] & std::byte{8}, std::byte{0}) << "no row decays";
  expectEveryCutRejected(payload_, decode_);
}

TEST_F(DamagedSizedPayload, GivesNoOtherWordsWhenAnyBitFlips) {
  expectNoFlipBelieved(payload_, decode_, table_.words);
}

TEST_F(DamagedSizedPayload, IsRejectedForWordsOfOtherKinds) {
  for (const ElementType type : {ElementType::I32, ElementType::F64, ElementType::U8}) {
    const auto opened =
        openPart(CodecId::Sized, {wordFormat(type), 20, 16}, payload_, 1, SharedTables{});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
  }
}

}  // namespace
}  // namespace strata::test
