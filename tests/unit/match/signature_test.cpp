#include "core/match/signature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "synthetic_model.h"

namespace strata {
namespace {

using namespace test;

// A small transformer: `layers` with matrices, norms and biases, and an embedding.
std::vector<SyntheticWeight> encoder(unsigned seed, unsigned layers = 4) {
  std::vector<SyntheticWeight> weights;
  weights.push_back(weight("embeddings.word.weight", gaussian(400, 32, seed)));
  for (unsigned i = 0; i < layers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    const unsigned own = 1000 * seed + 10 * i;
    weights.push_back(weight(layer + ".attention.weight", gaussian(32, 32, own)));
    weights.push_back(weight(layer + ".up.weight", gaussian(128, 32, own + 1)));
    weights.push_back(vectorWeight(layer + ".up.bias", gaussian(1, 128, own + 2)));
    weights.push_back(vectorWeight(layer + ".norm.weight", gaussian(1, 32, own + 3, 0.02F, 1)));
  }
  return weights;
}

struct Change {
  ElementType type = ElementType::F32;
  bool rename = false;
  bool turn = false;
  float relative = 0.02F;
};

std::string tunedSignature(std::vector<SyntheticWeight> weights, const Change& change) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    SyntheticWeight& item = weights[i];
    const bool isMatrix = item.shape.size() == 2;
    Matrix matrix{isMatrix ? item.shape[0] : 1, item.shape.back(), item.values};
    matrix = tuned(matrix, static_cast<unsigned>(i), change.relative);
    if (isMatrix && change.turn) {
      matrix = transposed(matrix);
      std::swap(item.shape[0], item.shape[1]);
    }
    item.values = matrix.values;
    item.type = change.type;
    if (change.rename) item.name = "onnx::MatMul_" + std::to_string(500 + i);
  }
  return makeSignature(SyntheticModel(weights).description());
}

struct Ranked {
  std::size_t index = 0;
  BaseRank rank;
};

// All that are signatures, by what the variant would take against each.
std::vector<Ranked> rankAll(const std::string& variant, const std::vector<std::string>& bases) {
  const auto ranker = SignatureRanker::make(variant);
  EXPECT_TRUE(ranker);
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (const auto rank = ranker->rank(bases[i])) ranked.push_back({i, *rank});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.rank.estimatedShare < b.rank.estimatedShare;
  });
  return ranked;
}

TEST(Signature, StaysSmall) {
  std::vector<SyntheticWeight> weights = encoder(1, 200);
  EXPECT_LE(makeSignature(SyntheticModel(weights).description()).size(), 16'384U);
}

TEST(Signature, SaysThatAModelIsItself) {
  const std::string signature = makeSignature(SyntheticModel(encoder(1)).description());
  const BaseRank rank = compareSignatures(signature, signature).value();
  EXPECT_EQ(rank.matchedShare, 1);
  EXPECT_EQ(rank.estimatedShare, 0);
}

TEST(Signature, SaysThatUnrelatedModelsShareNothing) {
  const std::string one = makeSignature(SyntheticModel(encoder(1)).description());
  const std::string other = makeSignature(SyntheticModel(encoder(2)).description());
  const BaseRank rank = compareSignatures(one, other).value();
  EXPECT_LT(rank.matchedShare, 0.05);  // norms are all alike
  EXPECT_GT(rank.estimatedShare, 0.75);
}

TEST(Signature, FindsTheBaseThroughRenamesTurnsTypesAndGrowth) {
  std::vector<std::string> signatures;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    signatures.push_back(makeSignature(SyntheticModel(encoder(seed)).description()));
  }
  const Change changes[] = {{},
                            {.rename = true},
                            {.turn = true},
                            {.type = ElementType::BF16},
                            {.type = ElementType::F16, .rename = true, .turn = true}};
  for (const Change& change : changes) {
    std::vector<SyntheticWeight> variant = encoder(17);
    Matrix words{400, 32, variant[0].values};
    variant[0] = weight("embeddings.word.weight", stackedRows({words, gaussian(9, 32, 777)}));
    const auto ranked = rankAll(tunedSignature(variant, change), signatures);
    ASSERT_EQ(ranked.size(), 30U);
    EXPECT_EQ(ranked[0].index, 16U) << name(change.type) << change.rename << change.turn;
    EXPECT_GT(ranked[0].rank.matchedShare, 0.95);
    EXPECT_LT(ranked[1].rank.matchedShare, 0.1);
  }
}

TEST(Signature, PrefersTheNearerOfTwoRelatives) {
  const std::string variant = tunedSignature(encoder(1), {.relative = 0.01F});
  const std::string base = makeSignature(SyntheticModel(encoder(1)).description());
  const std::string cousin = tunedSignature(encoder(1), {.relative = 0.2F});
  EXPECT_EQ(rankAll(variant, {cousin, base})[0].index, 1U);
}

TEST(Signature, RefusesWhatIsNone) {
  const std::string good = makeSignature(SyntheticModel(encoder(1)).description());
  for (const std::size_t kept :
       {std::size_t{0}, std::size_t{5}, std::size_t{16}, good.size() - 1}) {
    const auto rank = compareSignatures(good, std::string_view(good).substr(0, kept));
    ASSERT_FALSE(rank) << kept;
    EXPECT_EQ(rank.error().code, ErrorCode::CorruptData);
    const SignatureRanker ranker = SignatureRanker::make(good).value();
    EXPECT_FALSE(ranker.rank(std::string_view(good).substr(0, kept)));
    EXPECT_FALSE(ranker.screen(std::string_view(good).substr(0, kept)));
  }
  EXPECT_FALSE(SignatureRanker::make(""));
}

TEST(Signature, SurvivesEveryChangedByte) {
  const std::string good = makeSignature(SyntheticModel(encoder(1, 1)).description());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char change : {'\x01', '\x80', '\xFF'}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ change);
      const auto rank = compareSignatures(bad, good);
      if (!rank) continue;
      EXPECT_GE(rank->estimatedShare, 0);
      EXPECT_LE(rank->estimatedShare, 1);
    }
  }
}

TEST(Signature, OfNoWeightsMatchesNothing) {
  const std::string empty = makeSignature({});
  const std::string good = makeSignature(SyntheticModel(encoder(1)).description());
  EXPECT_EQ(compareSignatures(empty, good).value().matchedShare, 0);
  EXPECT_EQ(compareSignatures(good, empty).value().matchedShare, 0);
}

TEST(Signature, KnowsARoundedCopyFromTheBaseOfBoth) {
  const std::string base = makeSignature(SyntheticModel(encoder(1)).description());
  const std::string tuned = tunedSignature(encoder(1), {.relative = 0.0005F});
  for (const ElementType type : {ElementType::BF16, ElementType::F16}) {
    const std::string rounded = tunedSignature(encoder(1), {.type = type, .relative = 0.0005F});
    const auto ranked = rankAll(rounded, {base, tuned});
    EXPECT_EQ(ranked[0].index, 1U) << name(type);
    EXPECT_LT(ranked[0].rank.estimatedShare, 0.02);
    EXPECT_GT(ranked[1].rank.estimatedShare, 0.05);
  }
}

/// A step of a run in bf16 that moves a third of the words to their neighbours.
Matrix stepped(Matrix values, unsigned seed) {
  const Matrix chosen = gaussian(values.rows, values.columns, seed, 1);
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    const float size = std::exp2(std::floor(std::log2(std::abs(values.values[i]))) - 7);
    if (std::abs(chosen.values[i]) > 1) values.values[i] += chosen.values[i] > 0 ? size : -size;
  }
  return values;
}

TEST(Signature, KnowsTheStepBeforeFromTheStartOfARun) {
  std::vector<std::string> steps;
  std::vector<Matrix> matrices;
  for (unsigned i = 0; i < 24; ++i) matrices.push_back(gaussian(64, 64, i));
  for (unsigned step = 0; step < 5; ++step) {
    std::vector<SyntheticWeight> weights;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      weights.push_back(weight("layer." + std::to_string(i), matrices[i]));
      weights.back().type = ElementType::BF16;
      matrices[i] = stepped(matrices[i], 100 * (step + 1) + static_cast<unsigned>(i));
    }
    steps.push_back(makeSignature(SyntheticModel(weights).description()));
  }
  const std::string last = std::exchange(steps.back(), {});
  steps.pop_back();
  const auto ranked = rankAll(last, steps);
  EXPECT_EQ(ranked.front().index, 3U);
  EXPECT_EQ(ranked.back().index, 0U);
  EXPECT_LT(ranked.front().rank.estimatedShare, 0.125);
}

/// The values with their low `bits` bits turned over.
Matrix withTurnedBits(Matrix values, unsigned bits) {
  for (float& value : values.values) {
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ ((1U << bits) - 1));
  }
  return values;
}

TEST(Signature, TakesNothingForWordsThatAllChanged) {
  Matrix base = gaussian(64, 64, 1);
  for (float& value : base.values) {  // a turn then changes them by 2^21 - 1 units
    value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~((1U << 22) - 1));
  }
  const auto signatureOf = [](const Matrix& values) {
    return makeSignature(SyntheticModel({weight("w", values)}).description());
  };
  const BaseRank rank =
      compareSignatures(signatureOf(withTurnedBits(base, 21)), signatureOf(base)).value();
  EXPECT_EQ(rank.matchedShare, 1);
  EXPECT_NEAR(rank.estimatedShare, (21 + 2) / 32.0, 1e-4) << "their bits, and those of the class";
}

TEST(Signature, FindsStackedMatricesInSingleOnesAndTheOtherWayRound) {
  std::vector<SyntheticWeight> single;
  SyntheticWeight stack = weight("experts", gaussian(4, 96 * 80, 1));
  stack.shape = {4, 96, 80};
  for (std::size_t i = 0; i < 4; ++i) {
    Matrix one{96, 80, {}};
    const auto first = stack.values.begin() + static_cast<std::ptrdiff_t>(i * 96 * 80);
    one.values.assign(first, first + 96 * 80);
    single.push_back(weight("expert." + std::to_string(i), one));
  }
  const std::string stacked = makeSignature(SyntheticModel({stack}).description());
  const std::string apart = makeSignature(SyntheticModel(single).description());
  const std::string other =
      makeSignature(SyntheticModel({weight("o", gaussian(96, 80, 7))}).description());
  EXPECT_EQ(compareSignatures(stacked, apart).value().matchedShare, 1);
  EXPECT_EQ(compareSignatures(apart, stacked).value().matchedShare, 1);
  EXPECT_EQ(compareSignatures(stacked, other).value().matchedShare, 0);
}

// Queries, keys and values of some layers: each for itself, or three in one weight.
std::vector<SyntheticWeight> attention(unsigned seed, bool isMerged, bool isTurned = false,
                                       std::uint64_t count = 3) {
  std::vector<SyntheticWeight> weights;
  for (unsigned layer = 0; layer < 4; ++layer) {
    std::vector<Matrix> parts;
    for (unsigned i = 0; i < count; ++i) parts.push_back(gaussian(96, 96, seed + 10 * layer + i));
    const std::string name = "layer." + std::to_string(layer);
    const Matrix merged = stackedRows(parts);
    if (isMerged) {
      weights.push_back(weight(name + ".merged", isTurned ? transposed(merged) : merged));
      continue;
    }
    for (unsigned i = 0; i < count; ++i) {
      weights.push_back(weight(name + ".part." + std::to_string(i), parts[i]));
    }
  }
  return weights;
}

TEST(Signature, FindsMergedWeightsInTheirPartsAndTheOtherWayRound) {
  for (const std::uint64_t count : {2U, 3U}) {
    for (const bool isTurned : {false, true}) {
      const auto split = attention(1, false, false, count);
      const auto merged = attention(1, true, isTurned, count);
      for (const bool isBaseMerged : {false, true}) {
        const std::string base =
            makeSignature(SyntheticModel(isBaseMerged ? merged : split).description());
        const std::string other = makeSignature(
            SyntheticModel(attention(77, isBaseMerged, isTurned, count)).description());
        const std::string variant =
            tunedSignature(isBaseMerged ? split : merged, {.relative = 0.01F});
        const BaseRank rank = compareSignatures(variant, base).value();
        EXPECT_EQ(rank.matchedShare, 1) << count << isTurned << isBaseMerged;
        EXPECT_LT(rank.estimatedShare, 0.7);
        EXPECT_EQ(compareSignatures(variant, other).value().matchedShare, 0);
      }
    }
  }
}

TEST(Signature, TakesNoTypeForAnotherThatCannotStandInForIt) {
  const std::string single = makeSignature(SyntheticModel(encoder(1)).description());
  const std::string twice = tunedSignature(encoder(1), {.type = ElementType::F64, .relative = 0});
  EXPECT_EQ(compareSignatures(single, twice).value().matchedShare, 0);
  EXPECT_EQ(compareSignatures(twice, single).value().matchedShare, 0);
  const std::string tuned =
      tunedSignature(encoder(1), {.type = ElementType::F64, .relative = 0.005F});
  EXPECT_GT(compareSignatures(tuned, twice).value().matchedShare, 0.95);
}

TEST(Signature, ScreensByNamesAndContents) {
  const std::string variant = tunedSignature(encoder(1), {});
  const SignatureRanker ranker = SignatureRanker::make(variant).value();
  const std::string base = makeSignature(SyntheticModel(encoder(1)).description());
  EXPECT_EQ(ranker.screen(base)->estimatedShare, ranker.rank(base)->estimatedShare);
  EXPECT_EQ(ranker.screen(variant)->estimatedShare, 0);
  const std::string other = makeSignature(SyntheticModel(encoder(2)).description());
  EXPECT_LT(ranker.screen(other)->matchedShare, 0.05);
  const std::string renamed = tunedSignature(encoder(1), {.rename = true});
  EXPECT_EQ(ranker.screen(renamed)->matchedShare, 1) << "the contents are the same";
}

TEST(Signature, IsComparedAtOnceWithAHundredBases) {
  std::vector<std::string> signatures;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    signatures.push_back(makeSignature(SyntheticModel(encoder(seed, 25)).description()));
  }
  const std::string variant = tunedSignature(encoder(60, 25), {.rename = true});
  const auto start = std::chrono::steady_clock::now();
  const auto ranked = rankAll(variant, signatures);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ranked[0].index, 59U);
  RecordProperty("milliseconds", std::to_string(took.count()));
  std::cout << "100 bases of 101 weights in " << took.count() << " ms\n";
}

}  // namespace
}  // namespace strata
