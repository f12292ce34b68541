#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "core/match/matcher.h"
#include "synthetic_model.h"

namespace strata {
namespace {

using namespace test;

/// Makes weight number `i` of a model.
using Maker = std::function<SyntheticWeight(unsigned i)>;

std::unique_ptr<SyntheticModel> modelOf(unsigned count, const Maker& make) {
  std::vector<SyntheticWeight> weights;
  for (unsigned i = 0; i < count; ++i) weights.push_back(make(i));
  return std::make_unique<SyntheticModel>(weights);
}

/// What matching `count` weights with as many took, and how many got their own parent.
struct Work {
  std::uint64_t comparisons = 0;
  std::size_t found = 0;
};

Work matched(unsigned count, const Maker& variant, const Maker& parent) {
  Work work;
  const auto models = std::pair(modelOf(count, variant), modelOf(count, parent));
  const auto matches =
      matchOrFail(*models.first, *models.second, {.comparisons = &work.comparisons});
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const PartMatch& part = matches[i].parts.front();
    if (matches[i].parts.size() == 1 && part.parent && part.parent->tensor == i) ++work.found;
  }
  return work;
}

constexpr unsigned kMany = 700;

/// Twice as many weights take twice as many comparisons; `most`: for each of them.
Work expectLinear(const Maker& variant, const Maker& parent, double most) {
  const Work once = matched(kMany, variant, parent);
  const Work twice = matched(2 * kMany, variant, parent);
  // Those that happen to be alike are a few more.
  EXPECT_LT(static_cast<double>(twice.comparisons),
            2.3 * static_cast<double>(once.comparisons) + kMany);
  EXPECT_LT(static_cast<double>(twice.comparisons), most * 2 * kMany);
  return twice;
}

/// A small weight, tuned from the parent's.
Maker tunedBy(float relative, const std::string& name, std::uint64_t rows = 1) {
  return [=](unsigned i) {
    const Matrix own = gaussian(rows, 16 / rows, i);
    const std::string called = fmt::format(fmt::runtime(name), i);
    return weight(called, relative == 0 ? own : tuned(own, 9000 + i, relative));
  };
}

TEST(ManyWeights, OfOneNameEachAreFoundWithAFewComparisons) {
  const Work work = expectLinear(tunedBy(0.01F, "bert.layer.{}.norm.weight"),
                                 tunedBy(0, "layer.{}.norm.weight"), 30);
  EXPECT_EQ(work.found, 2 * kMany);
}

TEST(ManyWeights, AreFoundByWhatTheyHoldUnderNewNames) {
  for (const auto& [relative, least] : {std::pair(0.001F, 0.99), std::pair(0.02F, 0.93)}) {
    const Work work =
        expectLinear(tunedBy(relative, "new.x_{}"), tunedBy(0, "layer.{}.norm.weight"), 300);
    EXPECT_GT(static_cast<double>(work.found), least * 2 * kMany) << relative;
  }
}

TEST(ManyWeights, WithNumberedNamesAreFoundByWhatTheyHold) {
  const Work work =
      expectLinear(tunedBy(0.002F, "onnx::MatMul_{}"), tunedBy(0, "onnx::Gemm_{}"), 300);
  EXPECT_GT(work.found, 2 * kMany * 97 / 100);
}

TEST(ManyWeights, AreFoundTransposed) {
  const Maker turned = [](unsigned i) {
    return weight(fmt::format("new.x_{}", i), transposed(tuned(gaussian(2, 8, i), 50 + i, 0.002F)));
  };
  const Work work = expectLinear(turned, tunedBy(0, "layer.{}.norm.weight", 2), 300);
  EXPECT_GT(work.found, 2 * kMany * 97 / 100);
}

TEST(ManyWeights, WithoutAParentAreComparedWithFew) {
  const Maker other = [](unsigned i) {
    return weight(fmt::format("new.x_{}", i), gaussian(4, 4, 77'000 + i));
  };
  const Work work = expectLinear(other, tunedBy(0, "layer.{}.norm.weight", 4), 300);
  EXPECT_LT(work.found, kMany / 100);
}

TEST(ManyWeights, OfTheSameWordsAreComparedWithFew) {
  const auto constant = [](const std::string& name) -> Maker {
    return [=](unsigned i) {
      Matrix ones{1, 16, std::vector<float>(16, 1.0F)};
      ones.values[3] = 2;
      return weight(fmt::format(fmt::runtime(name), i), ones);
    };
  };
  const Work work = expectLinear(constant("bert.layer.{}.bias"), constant("layer.{}.bias"), 150);
  EXPECT_EQ(work.found, 2 * kMany) << "names decide between equal parents";
}

TEST(ManyWeights, LargerThanAFewWordsThatMatchNothingAreComparedWithSoMany) {
  const Maker other = [](unsigned i) {
    return weight(fmt::format("new.x_{}", i), gaussian(16, 32, 50'000 + i));
  };
  const Maker parent = [](unsigned i) {
    return weight(fmt::format("layer.{}.dense.weight", i), gaussian(16, 32, i));
  };
  std::uint64_t comparisons = 0;
  const auto models = std::pair(modelOf(kMany, other), modelOf(kMany, parent));
  matchOrFail(*models.first, *models.second, {.comparisons = &comparisons});
  // What names and lengths of lines propose is compared up to a limit for the whole model.
  EXPECT_LT(comparisons, 12'000'000U);
}

TEST(ManyWeights, CopiesOfEarlierOnesTheOtherWayRoundAreFoundAmongThem) {
  const unsigned half = 300;
  const auto variant = modelOf(2 * half, [&](unsigned i) {
    const Matrix matrix = gaussian(4, 8, i % half);
    return weight(fmt::format("x_{}", i), i < half ? matrix : transposed(matrix));
  });
  const auto matches = matchOrFail(*variant, SyntheticModel({}));
  for (unsigned i = half; i < 2 * half; ++i) {
    const PartMatch& part = matches[i].parts.front();
    ASSERT_TRUE(part.parent && part.parent->own) << i;
    EXPECT_EQ(part.parent->tensor, i - half);
    EXPECT_TRUE(part.parent->transposed);
  }
}

}  // namespace
}  // namespace strata
