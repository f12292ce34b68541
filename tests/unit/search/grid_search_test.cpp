#include "core/search/grid_search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "core/search/kind_knobs.h"

namespace strata {
namespace {

/// The paper's grid as a landscape in which quality is monotone along each axis.
class GridLandscape final : public TrialSource {
 public:
  std::size_t parallelism() const noexcept override { return parallelism_; }
  const Evaluation* reference() const noexcept override { return &reference_; }

  Result<Measured> measure(const QuantizeSettings& settings, bool wantsScore,
                           const std::stop_token&) override {
    const auto value = [&](auto field, TensorKind kind = TensorKind::Linear) {
      return static_cast<double>(kindValue(settings, kind, field).value_or(0));
    };
    const double bins = value(&QuantizeRule::levelCount);
    const double embeddingBins = value(&QuantizeRule::levelCount, TensorKind::Embedding);
    const double prune = value(&QuantizeRule::pruneShare);
    const double protect = value(&QuantizeRule::protectShare);
    const bool bySensitivity =
        kindValue(settings, TensorKind::Linear, &QuantizeRule::bySensitivity).value_or(false);
    const double bits =
        (1 - prune) * std::log2(bins) + 16 * protect + 0.3 * std::log2(embeddingBins);
    const double loss = 20 / (bins * bins) + (bySensitivity ? 3 : 6) * prune * prune +
                        4 / (embeddingBins * embeddingBins) + 0.02 * (0.01 - protect) / 0.01;
    Measured measured{.storedBytes = static_cast<std::uint64_t>(bits * 1e6)};
    if (!wantsScore) return measured;
    ++scored_;
    measured.evaluation = Evaluation{.score = 0.9 - loss / 100};
    return measured;
  }

  std::size_t parallelism_ = 1;
  unsigned scored_ = 0;

 private:
  Evaluation reference_{.score = 0.9};
};

SearchOptions optionsFor(SearchMethod method, double loss, bool hasGradients = false) {
  return {.target = {.qualityLoss = loss},
          .method = method,
          .start = {{{.levelCount = 16u}}},
          .kinds = {{TensorKind::Linear, 0.6}, {TensorKind::Embedding, 0.4}},
          .hasGradients = hasGradients,
          .trials = 1000};
}

/// The fewest bytes of all 216 points that keep the loss.
std::uint64_t exhaustive(double loss, bool bySensitivity) {
  GridLandscape landscape;
  std::uint64_t best = 0;
  for (const unsigned bins : {4, 6, 8, 12, 16, 32}) {
    for (const unsigned embeddingBins : {16, 32}) {
      for (const double prune : {0.5, 0.4, 0.3, 0.2, 0.1, 0.0}) {
        for (const double protect : {0.0005, 0.005, 0.01}) {
          const QuantizeSettings settings{
              {{.levelCount = bins,
                .pruneShare = prune,
                .protectShare = protect,
                .bySensitivity = bySensitivity},
               {.kind = TensorKind::Embedding, .levelCount = embeddingBins}}};
          const auto measured = landscape.measure(settings, true, {});
          if (100 * (0.9 - measured->evaluation->score) > loss + 1e-9) continue;
          if (best == 0 || measured->storedBytes < best) best = measured->storedBytes;
        }
      }
    }
  }
  return best;
}

TEST(GuidedSearch, FindsTheBestPointWithAFractionOfTheTrials) {
  for (const double loss : {0.1, 0.3, 0.6, 1.0, 2.0}) {
    GridLandscape landscape;
    const auto report = searchSettings(landscape, optionsFor(SearchMethod::Guided, loss), {});
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->best) << loss;
    EXPECT_EQ(report->trials[*report->best].measured.storedBytes, exhaustive(loss, false)) << loss;
    EXPECT_LT(landscape.scored_, 216 / 2) << loss;
  }
}

TEST(GuidedSearch, TakesTheBetterPruneScore) {
  GridLandscape landscape;
  const auto report = searchSettings(landscape, optionsFor(SearchMethod::Guided, 0.6, true), {});
  ASSERT_TRUE(report && report->best);
  const Trial& best = report->trials[*report->best];
  EXPECT_EQ(best.measured.storedBytes, exhaustive(0.6, true));
  EXPECT_EQ(kindValue(best.settings, TensorKind::Linear, &QuantizeRule::bySensitivity), true);
}

TEST(GuidedSearch, FindsNothingInAnEmptyCube) {
  GridLandscape landscape;
  const auto report = searchSettings(landscape, optionsFor(SearchMethod::Guided, 0.001), {});
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->best);
  ASSERT_TRUE(report->nearest);
  EXPECT_EQ(report->trials.size(), 6);  // the diagonal
}

/// The settings of a version before this one.
QuantizeSettings lastSettings(unsigned bins, double prune) {
  return {{{.levelCount = bins, .pruneShare = prune, .protectShare = 0.005, .bySensitivity = false},
           {.kind = TensorKind::Embedding, .levelCount = 16u}}};
}

TEST(NeighbourhoodSearch, KeepsTheLastSettingsWhereTheyStillHold) {
  GridLandscape landscape;
  SearchOptions options = optionsFor(SearchMethod::Neighbourhood, 1.0);
  options.start = lastSettings(8, 0.2);
  const auto report = searchSettings(landscape, options, {});
  ASSERT_TRUE(report && report->best);
  EXPECT_EQ(report->trials.size(), 1);
}

TEST(NeighbourhoodSearch, TakesOneStepToTheSideOfQuality) {
  GridLandscape landscape;
  SearchOptions options = optionsFor(SearchMethod::Neighbourhood, 0.5);
  options.start = lastSettings(8, 0.2);  // loses 0.58
  const auto report = searchSettings(landscape, options, {});
  ASSERT_TRUE(report && report->best);
  const Trial& best = report->trials[*report->best];
  EXPECT_LE(report->trials.size(), 16);
  EXPECT_GE(kindValue(best.settings, TensorKind::Linear, &QuantizeRule::levelCount), 8);
  EXPECT_LE(kindValue(best.settings, TensorKind::Linear, &QuantizeRule::pruneShare), 0.2);
}

TEST(NeighbourhoodSearch, ChangesOverToAClearlyBetterPruneScore) {
  GridLandscape landscape;
  SearchOptions options = optionsFor(SearchMethod::Neighbourhood, 0.5, true);
  options.start = lastSettings(8, 0.2);
  const auto report = searchSettings(landscape, options, {});
  ASSERT_TRUE(report && report->best);
  EXPECT_EQ(report->trials.size(), 2);
  EXPECT_EQ(kindValue(report->trials[*report->best].settings, TensorKind::Linear,
                      &QuantizeRule::bySensitivity),
            true);
}

TEST(NeighbourhoodSearch, FallsBackToTheGuidedSearch) {
  GridLandscape landscape;
  SearchOptions options = optionsFor(SearchMethod::Neighbourhood, 0.1);
  options.start = lastSettings(4, 0.5);
  const auto report = searchSettings(landscape, options, {});
  ASSERT_TRUE(report && report->best);
  EXPECT_EQ(report->trials[*report->best].measured.storedBytes, exhaustive(0.1, false));
}

}  // namespace
}  // namespace strata
