#include "core/search/search.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "core/search/settings_text.h"
#include "core/search/trial_log.h"
#include "tests/unit/search/landscape.h"

namespace strata {
namespace {

using test::Landscape;
using testing::HasSubstr;

class SearchTest : public testing::Test {
 protected:
  Result<SearchReport> search(std::stop_token stop = {}) {
    options_.kinds = landscape_.kinds();
    return searchSettings(landscape_, options_, stop);
  }

  Landscape landscape_{test::transformer()};
  SearchOptions options_{.target = {.qualityLoss = 0.5}};
};

TEST_F(SearchTest, TriesEachConfigurationOnce) {
  options_.trials = 60;
  const auto report = search();
  ASSERT_TRUE(report) << report.error().message;
  std::set<std::string> seen;
  for (const Trial& trial : report->trials) seen.insert(settingsText(trial.settings));
  EXPECT_EQ(seen.size(), report->trials.size());
  EXPECT_EQ(landscape_.measured(), report->trials.size());
}

QuantizeSettings scaled(double multiplier) {
  QuantizeSettings settings;
  settings.stepScale = multiplier;
  return settings;
}

/// Multipliers of one octave all give one model, in more bytes the finer they are.
class Octaves final : public TrialSource {
 public:
  std::size_t parallelism() const noexcept override { return 1; }
  const Evaluation* reference() const noexcept override { return nullptr; }
  Result<Measured> measure(const QuantizeSettings& settings, bool /*wantsScore*/,
                           const std::stop_token& /*stop*/) override {
    const int octave = std::ilogb(settings.stepScale);
    Measured measured{.storedBytes = static_cast<std::uint64_t>(1000 / settings.stepScale),
                      .relativeError = std::ldexp(0.1, octave)};
    measured.contentDigest.bytes.fill(static_cast<std::byte>(octave + 100));
    return measured;
  }
};

TEST_F(SearchTest, CountsSettingsThatGiveAKnownModelAsNoTrial) {
  Octaves source;
  options_.target = {.bytes = 1000};
  options_.trials = 3;
  TrialLog log(source, options_, {});
  const Trial* const first = *log.run(scaled(1.9), "coarse");
  EXPECT_EQ(*log.run(scaled(1.5), "as coarse"), first);
  EXPECT_EQ(log.trials().size(), 1U);
  EXPECT_NE(*log.run(scaled(1.95), "the same in fewer bytes"), first);
  EXPECT_NE(*log.run(scaled(0.9), "fine"), first);
  EXPECT_EQ(log.trials().size(), 3U);
  EXPECT_FALSE(log.run(scaled(0.3), "one too many"));
}

TEST_F(SearchTest, EndsWhereNothingButKnownModelsComes) {
  Octaves source;
  options_.target = {.bytes = 1000};
  options_.trials = 3;
  TrialLog log(source, options_, {});
  bool isOver = false;
  for (int i = 0; i < 100 && !isOver; ++i) isOver = !log.run(scaled(1.9 - i * 1e-3), "one");
  EXPECT_TRUE(isOver);
  EXPECT_EQ(log.trials().size(), 1U);
}

TEST_F(SearchTest, ReportsTheFrontierFromSmallToGood) {
  const auto report = search();
  ASSERT_TRUE(report);
  ASSERT_GE(report->frontier.size(), 2);
  for (std::size_t i = 1; i < report->frontier.size(); ++i) {
    const Trial& before = report->trials[report->frontier[i - 1]];
    const Trial& here = report->trials[report->frontier[i]];
    EXPECT_LE(before.measured.storedBytes, here.measured.storedBytes);
    EXPECT_GT(*before.loss, *here.loss);
  }
}

TEST_F(SearchTest, TellsEachTrialAsItEnds) {
  std::vector<unsigned> numbers;
  options_.onTrial = [&](const Trial& trial) { numbers.push_back(trial.number); };
  const auto report = search();
  ASSERT_TRUE(report);
  ASSERT_EQ(numbers.size(), report->trials.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i + 1);
}

TEST_F(SearchTest, TestsTheScoreInPairs) {
  landscape_.namesSamples_ = true;
  const auto report = search();
  ASSERT_TRUE(report && report->best);
  const Trial& best = report->trials[*report->best];
  ASSERT_TRUE(best.test);
  const double points =
      100.0 *
      (static_cast<double>(best.test->onlyFirst) - static_cast<double>(best.test->onlySecond)) /
      1000;
  EXPECT_NEAR(*best.loss, points, 1e-9);
}

TEST_F(SearchTest, TakesSettingsThatOtherSamplesAreLikelyToBear) {
  options_.trials = 60;
  landscape_.luck_ = 0.01;
  const auto byLuck = search();
  landscape_.hasExpectedLoss_ = true;
  const auto report = search();
  ASSERT_TRUE(byLuck && byLuck->best && report && report->best);
  const Trial& best = report->trials[*report->best];
  ASSERT_TRUE(best.likelyLoss);
  EXPECT_LE(*best.likelyLoss, 0.5 + 1e-9);
  EXPECT_LE(*best.loss, 0.5 + 1e-9);
  // Without knowing better, the search takes settings that were lucky with their samples.
  const Trial& lucky = byLuck->trials[*byLuck->best];
  const double expected = landscape_.expectedLoss(*lucky.measured.evaluation->divergence);
  EXPECT_GT(expected, landscape_.expectedLoss(*best.measured.evaluation->divergence));
}

/// Of a thousand samples, some of which only one of both models gets right.
ScoreChange changed(int lost, int gained) {
  Evaluation reference{.score = 0.8, .samples = 1000};
  Evaluation restored{.score = 0.8 - 1e-3 * (lost - gained), .samples = 1000};
  for (int i = 0; i < 1000; ++i) {
    reference.correct.push_back(i < 800);
    restored.correct.push_back((i >= lost && i < 800) || i >= 1000 - gained);
  }
  return scoreChange(reference, restored);
}

TEST(SearchTarget, AllowsWhatItNames) {
  EXPECT_TRUE(allowsLoss({.qualityLoss = 0.5}, changed(25, 20)));
  EXPECT_FALSE(allowsLoss({.qualityLoss = 0.5}, changed(26, 20)));
  EXPECT_TRUE(allowsLoss({.bytes = 1000}, changed(200, 0)));
}

TEST(SearchTarget, CountsALossOnlyWhereItIsSignificant) {
  EXPECT_TRUE(allowsLoss({.qualityLoss = 0, .significance = 0.05}, changed(25, 20)));
  EXPECT_FALSE(allowsLoss({.qualityLoss = 0, .significance = 0.05}, changed(45, 20)));
}

TEST_F(SearchTest, IsNotLedBySignificanceToSettingsThatWereLucky) {
  options_.target = {.qualityLoss = 0.5, .significance = 0.05};
  options_.trials = 60;
  landscape_.luck_ = 0.005;
  landscape_.namesSamples_ = true;
  landscape_.hasExpectedLoss_ = true;
  const auto report = search();
  ASSERT_TRUE(report && report->best);
  const Trial& best = report->trials[*report->best];
  const double expected = 100 * landscape_.expectedLoss(*best.measured.evaluation->divergence);
  EXPECT_LE(expected, allowedLoss(options_.target, best));
}

TEST_F(SearchTest, MissesATargetThatTooFewSamplesCanShow) {
  landscape_.namesSamples_ = true;
  landscape_.hasExpectedLoss_ = true;
  options_.method = SearchMethod::Fixed;
  options_.start = {{{.step = 1e-4}}};
  options_.target = {.qualityLoss = 0.05};  // half a sample of a thousand
  const auto report = search();
  ASSERT_TRUE(report && report->nearest);
  EXPECT_FALSE(report->best);
  const Trial& nearest = report->trials[*report->nearest];
  EXPECT_EQ(*nearest.loss, 0);
  EXPECT_GT(*nearest.mostLoss, 0.05);
}

TEST_F(SearchTest, GoesOnAfterAFailedEvaluation) {
  landscape_.interfere_ = [](unsigned number) -> Result<void> {
    if (number % 4 == 0) return fail(ErrorCode::Evaluator, "evaluator x: out of luck");
    return {};
  };
  const auto report = search();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->best);
  EXPECT_EQ(report->trials[3].failure, "evaluator x: out of luck");
  EXPECT_FALSE(report->trials[3].meetsTarget);
  EXPECT_TRUE(report->trials[*report->best].failure.empty());
}

TEST_F(SearchTest, EndsWithTheBestSoFarWhereTheEvaluatorStaysDown) {
  landscape_.interfere_ = [](unsigned number) -> Result<void> {
    if (number > 12) return fail(ErrorCode::Evaluator, "evaluator x: out of luck");
    return {};
  };
  const auto report = search();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->end, SearchReport::End::EvaluatorFailed);
  EXPECT_EQ(report->trials.size(), 15);
  EXPECT_THAT(report->failure, HasSubstr("out of luck"));
  EXPECT_TRUE(report->best);
}

TEST_F(SearchTest, FailsWhereNothingCouldBeScored) {
  landscape_.interfere_ = [](unsigned) -> Result<void> {
    return fail(ErrorCode::Evaluator, "evaluator x: out of luck");
  };
  const auto report = search();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Evaluator);
}

TEST_F(SearchTest, MeetsNoShareOfAChangeThatCouldNotBeScored) {
  options_.target.ofChange = 0.5;
  options_.method = SearchMethod::Fixed;
  options_.start = {{{.step = 0.05}}};
  ASSERT_TRUE(search()->best);
  landscape_.interfere_ = [](unsigned number) -> Result<void> {
    if (number % 2 == 1) return fail(ErrorCode::Evaluator, "evaluator x: out of time");
    return {};
  };
  const auto report = search();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Evaluator);
  EXPECT_THAT(report.error().message, HasSubstr("out of time"));
}

TEST_F(SearchTest, MeasuresItsOwnSettingsBesideNoChange) {
  options_.target.ofChange = 0.5;
  options_.method = SearchMethod::Fixed;
  options_.start = {{{.step = 0.05}}};
  options_.trials = 1;
  const auto report = search();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->trials.size(), 2U);
  EXPECT_EQ(report->trials[0].what, kNoChange);
  EXPECT_TRUE(report->best);
}

TEST_F(SearchTest, EndsAtOnceForOtherFailures) {
  landscape_.interfere_ = [](unsigned number) -> Result<void> {
    if (number == 5) return fail(ErrorCode::NoSpace, "/dev/shm is full");
    return {};
  };
  const auto report = search();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::NoSpace);
}

TEST_F(SearchTest, KeepsTheBestSoFarWhenItIsCancelled) {
  std::stop_source stop;
  options_.onTrial = [&](const Trial& trial) {
    if (trial.number == 10) stop.request_stop();
  };
  const auto report = search(stop.get_token());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->end, SearchReport::End::Cancelled);
  EXPECT_EQ(report->trials.size(), 10);
  EXPECT_TRUE(report->best);
}

TEST_F(SearchTest, IsCancelledWhereThereIsNothingYet) {
  std::stop_source stop;
  stop.request_stop();
  const auto report = search(stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Cancelled);
}

TEST_F(SearchTest, NeedsAScoreForAQuality) {
  landscape_.hasScore_ = false;
  const auto report = search();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(report.error().message, HasSubstr("needs an evaluator"));
}

TEST_F(SearchTest, MeasuresFixedSettingsOnce) {
  options_.method = SearchMethod::Fixed;
  options_.start = {{{.step = 0.05}}};
  const auto held = search();
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(held->trials.size(), 1);
  EXPECT_TRUE(held->best);
  options_.start = {{{.step = 5.0}}};
  const auto missed = search();
  ASSERT_TRUE(missed);
  EXPECT_FALSE(missed->best);
  EXPECT_TRUE(missed->nearest);
  options_.target = {};
  const auto untargeted = search();
  ASSERT_TRUE(untargeted);
  EXPECT_TRUE(untargeted->best);
}

/// A model that coarse steps lead away from, as steps that keep a projection do.
class LeadsAway final : public TrialSource {
 public:
  std::size_t parallelism() const noexcept override { return 1; }
  const Evaluation* reference() const noexcept override { return nullptr; }
  Result<Measured> measure(const QuantizeSettings& settings, bool,
                           const std::stop_token&) override {
    constexpr double kNothingLeft = 1e6;
    const double step = settings.stepScale * settings.rules.front().step.value_or(3);
    const bool isUnchanged = step > kNothingLeft;
    return Measured{.storedBytes = isUnchanged ? 100 : 200 + static_cast<std::uint64_t>(1e4 / step),
                    .relativeError = isUnchanged ? 1 : std::sqrt(step)};
  }
};

TEST_F(SearchTest, CountsNoChangeAmongWhatFitsASize) {
  LeadsAway source;
  options_.kinds = {{TensorKind::Linear, 1.0}};
  options_.target = {.bytes = 500};
  const auto coarse = searchSettings(source, options_, {});
  ASSERT_TRUE(coarse && coarse->best);
  EXPECT_EQ(coarse->trials[*coarse->best].measured.storedBytes, 100);
  EXPECT_EQ(coarse->trials[*coarse->best].what, "no change");
  options_.target = {.bytes = 100'000};
  const auto fine = searchSettings(source, options_, {});
  ASSERT_TRUE(fine && fine->best);
  EXPECT_LT(fine->trials[*fine->best].measured.relativeError, 1);
}

TEST_F(SearchTest, TakesOneTarget) {
  for (const SearchTarget& target :
       {SearchTarget{}, SearchTarget{.qualityLoss = 0.5, .bytes = 1000}}) {
    options_.target = target;
    const auto report = search();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::InvalidArgument);
  }
}

}  // namespace
}  // namespace strata
