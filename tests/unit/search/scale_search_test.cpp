#include "core/search/scale_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/quantize/tensor_choice.h"
#include "core/search/kind_knobs.h"
#include "tests/unit/search/landscape.h"

namespace strata {
namespace {

using test::Landscape;

SearchReport searched(Landscape& landscape, SearchTarget target, unsigned trials) {
  const QuantizeSettings start{{{.gain = 1.0},
                                {.kind = TensorKind::Attention, .step = 3.0, .rank = 8U},
                                {.kind = TensorKind::Linear, .step = 3.3, .rank = 8U},
                                {.kind = TensorKind::Embedding, .step = 3.0, .rank = 0U},
                                {.kind = TensorKind::Convolution, .step = 1.5, .rank = 2U},
                                {.kind = TensorKind::Norm, .step = 0.75, .rank = 0U},
                                {.kind = TensorKind::Head, .step = 0.75, .rank = 0U}}};
  const SearchOptions options{.target = target,
                              .method = SearchMethod::Scale,
                              .start = start,
                              .kinds = landscape.kinds(),
                              .trials = trials};
  auto report = searchSettings(landscape, options, {});
  EXPECT_TRUE(report) << report.error().message;
  return report ? *report : SearchReport{};
}

std::uint64_t bestBytes(const SearchReport& report) {
  return report.best ? report.trials[*report.best].measured.storedBytes : 0;
}

/// One kind: patterns of up to 200 kB, and levels, which take their place at fine steps, in 700 kB.
class Gap final : public TrialSource {
 public:
  std::size_t parallelism() const noexcept override { return 1; }
  const Evaluation* reference() const noexcept override { return nullptr; }
  Result<Measured> measure(const QuantizeSettings& settings, bool /*wantsScore*/,
                           const std::stop_token& /*stop*/) override {
    const double step = kindValue(settings, TensorKind::Linear, &QuantizeRule::step).value_or(3) *
                        settings.stepScale;
    const bool arePatterns = kindCodec(settings, TensorKind::Linear) == CodecId::Patterns;
    if (arePatterns && !isTooFineForPatterns(step)) {
      return Measured{.storedBytes = static_cast<std::uint64_t>(1e5 / step),
                      .relativeError = std::min(1.0, 0.7 + 0.1 * step)};
    }
    return Measured{.storedBytes = static_cast<std::uint64_t>(3.5e5 / step),
                    .relativeError = std::min(1.0, 0.3 * step)};
  }
};

TEST(ScaleSearch, ReachesSizesBetweenThoseOfTwoCodecs) {
  for (const std::uint64_t bytes : {250'000U, 400'000U, 600'000U}) {
    Gap source;
    const SearchOptions options{.target = {.bytes = bytes},
                                .method = SearchMethod::Scale,
                                .kinds = {{TensorKind::Linear, 1}},
                                .trials = 30};
    const auto report = searchSettings(source, options, {});
    ASSERT_TRUE(report && report->best);
    const Measured& best = report->trials[*report->best].measured;
    EXPECT_GT(best.storedBytes, bytes * 9 / 10);
    EXPECT_LT(best.relativeError, 0.5);
  }
}

struct Case {
  const char* name;
  std::map<TensorKind, test::KindShape> shapes;
  double qualityLoss;
};

class EveryLandscape : public testing::TestWithParam<Case> {};

/// Each answers smoothly: that is harder for a search that expects noise.
TEST_P(EveryLandscape, ThirtyTrialsAreNearlyAsGoodAsTwoHundred) {
  Landscape few(GetParam().shapes);
  Landscape many(GetParam().shapes);
  const SearchTarget target{.qualityLoss = GetParam().qualityLoss};
  const SearchReport quick = searched(few, target, 30);
  const SearchReport long_ = searched(many, target, 200);
  ASSERT_TRUE(quick.best && long_.best);
  EXPECT_LE(quick.trials.size(), 30);
  EXPECT_LE(*quick.trials[*quick.best].loss, GetParam().qualityLoss + 1e-9);
  EXPECT_LE(static_cast<double>(bestBytes(quick)), 1.05 * static_cast<double>(bestBytes(long_)));
}

TEST_P(EveryLandscape, IsMuchBetterThanOneMultiplierAlone) {
  Landscape landscape(GetParam().shapes);
  const SearchReport report = searched(landscape, {.qualityLoss = GetParam().qualityLoss}, 30);
  ASSERT_TRUE(report.best);
  std::uint64_t bracket = 0;
  for (const Trial& trial : report.trials) {
    if (trial.what.find("as given") == std::string::npos) break;
    if (trial.meetsTarget && (bracket == 0 || trial.measured.storedBytes < bracket)) {
      bracket = trial.measured.storedBytes;
    }
  }
  EXPECT_LT(static_cast<double>(bestBytes(report)), 0.85 * static_cast<double>(bracket));
}

TEST_P(EveryLandscape, FitsTheSize) {
  Landscape landscape(GetParam().shapes);
  const SearchReport loose = searched(landscape, {.bytes = 600'000}, 30);
  const SearchReport tight = searched(landscape, {.bytes = 300'000}, 30);
  ASSERT_TRUE(loose.best && tight.best);
  EXPECT_LE(bestBytes(loose), 600'000);
  EXPECT_GT(bestBytes(loose), 580'000);
  EXPECT_LE(bestBytes(tight), 300'000);
  const auto divergence = [](const SearchReport& report) {
    return *report.trials[*report.best].measured.evaluation->divergence;
  };
  EXPECT_LT(divergence(loose), divergence(tight));
}

TEST_P(EveryLandscape, FitsTheErrorWithoutAnEvaluator) {
  Landscape landscape(GetParam().shapes);
  landscape.hasScore_ = false;
  const SearchReport report = searched(landscape, {.error = 0.1}, 60);
  ASSERT_TRUE(report.best);
  const Trial& best = report.trials[*report.best];
  EXPECT_LE(best.measured.relativeError, 0.1);
  EXPECT_GT(best.measured.relativeError, 0.09);
  EXPECT_FALSE(best.loss);
}

INSTANTIATE_TEST_SUITE_P(ScaleSearch, EveryLandscape,
                         testing::Values(Case{"Transformer", test::transformer(), 0.5},
                                         Case{"TransformerStrict", test::transformer(), 0.1},
                                         Case{"TransformerLoose", test::transformer(), 3},
                                         Case{"ConvolutionalNet", test::convolutionalNet(), 0.5},
                                         Case{"ConvolutionalNetLoose", test::convolutionalNet(),
                                              2}),
                         [](const auto& tested) { return tested.param.name; });

/// Landscapes where each setting draws its divergence anew, as rounding does.
class EveryNoisyLandscape : public testing::TestWithParam<Case> {
 protected:
  SearchReport searched(unsigned draw, unsigned trials) {
    Landscape landscape(GetParam().shapes);
    landscape.noise_ = 0.25;
    landscape.draw_ = draw;
    landscape.hasExpectedLoss_ = true;
    return strata::searched(landscape, {.qualityLoss = GetParam().qualityLoss}, trials);
  }
};

TEST_P(EveryNoisyLandscape, IsNotLedAstray) {
  Landscape calm(GetParam().shapes);
  calm.hasExpectedLoss_ = true;
  const SearchTarget target{.qualityLoss = GetParam().qualityLoss};
  const SearchReport clear = strata::searched(calm, target, 30);
  ASSERT_TRUE(clear.best);
  constexpr unsigned kDraws = 6;
  double ratios = 0;
  for (unsigned draw = 0; draw < kDraws; ++draw) {
    const SearchReport report = searched(draw, 30);
    ASSERT_TRUE(report.best) << draw;
    const Trial& best = report.trials[*report.best];
    EXPECT_LE(*best.likelyLoss, GetParam().qualityLoss + 1e-9);
    EXPECT_LE(*best.loss, GetParam().qualityLoss + 1e-9);
    const auto noisy = static_cast<double>(bestBytes(report));
    ratios += std::log(noisy / static_cast<double>(bestBytes(clear)));
  }
  // A search that takes single trials for what they seem ends 1.4 and 1.6 times as large.
  EXPECT_LE(std::exp(ratios / kDraws), 1.25);
}

INSTANTIATE_TEST_SUITE_P(ScaleSearch, EveryNoisyLandscape,
                         testing::Values(Case{"Transformer", test::transformer(), 0.5},
                                         Case{"ConvolutionalNet", test::convolutionalNet(), 0.5}),
                         [](const auto& tested) { return tested.param.name; });

/// What the settings that a search took lose on other samples, in points.
double lossOnOthers(const SearchReport& report, std::size_t samples) {
  Landscape others(test::transformer());
  others.samples_ = samples;
  const auto measured = others.measure(report.trials[*report.best].settings, true, {});
  return 100 * (others.reference()->score - measured->evaluation->score);
}

TEST(ScaleSearch, TakesSettingsThatOtherSamplesBearNineTimesInTen) {
  constexpr std::size_t kDraws = 6;
  constexpr std::size_t kOthers = 100;  // for each draw, as many other samples
  std::size_t missed = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    Landscape landscape(test::transformer());
    landscape.namesSamples_ = true;
    landscape.hasExpectedLoss_ = true;
    landscape.samples_ = draw;
    const SearchReport report = searched(landscape, {.qualityLoss = 2}, 20);
    ASSERT_TRUE(report.best) << draw;
    for (std::size_t other = kDraws; other < kDraws + kOthers; ++other) {
      missed += lossOnOthers(report, other) > 2 + 1e-9 ? 1 : 0;
    }
  }
  EXPECT_LE(missed, kDraws * kOthers / 10);
}

TEST(ScaleSearch, TriesBothBranchesEarly) {
  Landscape landscape(test::transformer());
  const SearchReport report = searched(landscape, {.qualityLoss = 0.5}, 30);
  const auto isWithout = [](const Trial& trial) {
    return kindValue(trial.settings, TensorKind::Linear, &QuantizeRule::rank) == 0U;
  };
  const auto found = std::find_if(report.trials.begin(), report.trials.end(), isWithout);
  ASSERT_NE(found, report.trials.end());
  EXPECT_LE(found->number, 12);
}

TEST(ScaleSearch, IsTheSameEachTime) {
  Landscape first(test::transformer());
  Landscape second(test::transformer());
  second.parallelism_ = 3;
  const SearchReport one = searched(first, {.qualityLoss = 0.5}, 30);
  const SearchReport other = searched(second, {.qualityLoss = 0.5}, 30);
  EXPECT_EQ(bestBytes(one), bestBytes(other));
}

TEST(ScaleSearch, EndsWhereASizeIsOutOfReachAndNothingIsScored) {
  Landscape landscape(test::transformer());
  landscape.hasScore_ = false;
  const SearchReport report = searched(landscape, {.bytes = 10}, 1000);
  EXPECT_FALSE(report.best);
  EXPECT_TRUE(report.nearest);
}

TEST(ScaleSearch, ShowsTheNearestWhereNothingMeetsTheTarget) {
  Landscape landscape(test::transformer());
  const SearchReport report = searched(landscape, {.bytes = 1000}, 30);
  EXPECT_FALSE(report.best);
  ASSERT_TRUE(report.nearest);
  for (const Trial& trial : report.trials) {
    EXPECT_GE(trial.measured.storedBytes, report.trials[*report.nearest].measured.storedBytes);
  }
}

}  // namespace
}  // namespace strata
