#include "core/profile/quality_plan.h"

#include <gmock/gmock.h>

#include "core/profile/profile.h"
#include "core/search/settings_text.h"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(QualityPlan, ReadsAllTables) {
  const auto plan = parseQualityPlan(R"(
mode = "quality"
[target]
quality_loss = 0.5
significance = 0.05
[quantize]
step = 3
rank = 8
step_scale = 1.5
seed = 7
[[rule]]
kind = "embedding"
step = 4.5
[[rule]]
match = "*.head"
dead_zone = 0.5
prune = 0.25
prune_by = "sensitivity"
row_scales = true
levels = 16
[search]
method = "guided"
trials = 12
time_limit = "5m"
)",
                                     "mine.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->target.qualityLoss, 0.5);
  EXPECT_EQ(plan->target.significance, 0.05);
  EXPECT_EQ(plan->quantize.stepScale, 1.5);
  EXPECT_EQ(plan->quantize.seed, 7);
  ASSERT_EQ(plan->quantize.rules.size(), 3);
  EXPECT_EQ(plan->quantize.rules[0].step, 3);
  EXPECT_EQ(plan->quantize.rules[0].rank, 8);
  EXPECT_EQ(plan->quantize.rules[1].kind, TensorKind::Embedding);
  EXPECT_EQ(plan->quantize.rules[1].step, 4.5);
  EXPECT_EQ(plan->quantize.rules[2].match, "*.head");
  EXPECT_EQ(plan->quantize.rules[2].bySensitivity, true);
  EXPECT_EQ(plan->quantize.rules[2].rowScales, true);
  EXPECT_EQ(plan->quantize.rules[2].levelCount, 16);
  EXPECT_EQ(plan->method, SearchMethod::Guided);
  EXPECT_EQ(plan->trials, 12);
  EXPECT_EQ(plan->timeLimit, 300s);
}

TEST(QualityPlan, ComesBackAsItWasWritten) {
  QualityPlan plan;
  plan.quantize.rules = {{.step = 0.1 + 0.2, .patternLength = 300U, .rank = 8U},
                         {.kind = TensorKind::Norm, .step = 1.0 / 3, .deadZone = 0.25},
                         {.match = "a \"b\".*", .gain = 0.9, .bySensitivity = true, .bits = 3U}};
  plan.quantize.stepScale = 1.37;
  plan.quantize.seed = 9;
  plan.quantize.sensitivity = Sensitivity::Rows;
  plan.target.bytes = 20'000'001;
  plan.method = SearchMethod::Neighbourhood;
  plan.trials = 40;
  plan.timeLimit = 90s;
  plan.scores = {{.content = sha256(std::as_bytes(std::span("m", 1))),
                  .data = "choice",
                  .metric = "accuracy",
                  .reference = 0.9,
                  .score = 0.875,
                  .samples = 872,
                  .pValue = 0.5}};
  const std::string text = qualityProfileText("found by tune", plan);
  const auto read = parseQualityPlan(text, "mine.toml");
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(settingsText(read->quantize), settingsText(plan.quantize));
  EXPECT_EQ(read->quantize.sensitivity, Sensitivity::Rows);
  EXPECT_EQ(read->target.bytes, plan.target.bytes);
  EXPECT_EQ(read->method, plan.method);
  EXPECT_EQ(read->trials, plan.trials);
  EXPECT_EQ(read->timeLimit, plan.timeLimit);
  ASSERT_EQ(read->scores.size(), 1);
  EXPECT_EQ(read->scores[0].content, plan.scores[0].content);
  EXPECT_EQ(read->scores[0].data, "choice");
  EXPECT_EQ(read->scores[0].metric, "accuracy");
  EXPECT_EQ(read->scores[0].reference, 0.9);
  EXPECT_EQ(read->scores[0].score, 0.875);
  EXPECT_EQ(read->scores[0].samples, 872);
  EXPECT_EQ(read->scores[0].divergence, std::nullopt);
  EXPECT_EQ(read->scores[0].pValue, 0.5);
  const auto profile = parseProfile("mine", text, "mine.toml");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->mode, "size");
  EXPECT_EQ(profile->description, "found by tune");
}

struct BadPlan {
  const char* toml;
  const char* complaint;
};

class EveryBadPlan : public testing::TestWithParam<BadPlan> {};

TEST_P(EveryBadPlan, IsRefusedByName) {
  const auto plan = parseQualityPlan(GetParam().toml, "mine.toml");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(plan.error().message, HasSubstr("mine.toml"));
  EXPECT_THAT(plan.error().message, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    QualityPlan, EveryBadPlan,
    testing::Values(
        BadPlan{"mode = \"quality\"\n[quantise]\n", "no \"quantise\""},
        BadPlan{"mode = \"quality\"\n[quantise]\n", "Did you mean \"quantize\"?"},
        BadPlan{"[quantize]\nstepp = 3\n", "Did you mean \"step\"?"},
        BadPlan{"[quantize]\nstep = -3\n", "step is no number of at least"},
        BadPlan{"[quantize]\nstep = \"3\"\n", "step is no number"},
        BadPlan{"[[score]]\ncontent = \"12\"\n", "64 hexadecimal digits"},
        BadPlan{"[score]\ncontent = \"12\"\n", "[[score]] is not a list of tables"},
        BadPlan{"[quantize]\nrank = 2.5\n", "rank is no whole number of 0 to 4096"},
        BadPlan{"[quantize]\ndead_zone = 0.6\n", "dead_zone is no number of 0 to 0.5"},
        BadPlan{"[quantize]\nrow_scales = 1\n", "neither true nor false"},
        BadPlan{"[quantize]\ncodec = \"magic\"\n", "\"magic\" is none of"},
        BadPlan{"[quantize]\nprune_by = \"luck\"\n", "magnitude, sensitivity"},
        BadPlan{"[[rule]]\nkind = \"embeding\"\n", "\"embeding\" is none of"},
        BadPlan{"[[rule]]\nkind = \"optimizer\"\n", "is stored exactly"},
        BadPlan{"[[rule]]\nkind = \"first moment\"\ncodec = \"levels\"\n", "is for weights"},
        BadPlan{"[[rule]]\ncodec = \"moments\"\n", "is for the kinds"},
        BadPlan{"[quantize]\ncodec = \"moments\"\n", "is for the kinds"},
        BadPlan{"[quantize]\ncodec = \"exponent\"\nbits = 0\n", "whole number of 1 to 8"},
        BadPlan{"[[rule]]\nkind = \"first moment\"\nbits = 9\n", "whole number of 0 to 8"},
        BadPlan{"[[rule]]\n[[rule]]\nsteps = 1\n", "[[rule]] 1: there is no key \"steps\""},
        BadPlan{"rule = 3\n", "not a list of tables"}, BadPlan{"target = 3\n", "not a table"},
        BadPlan{"[target]\nsize = \"big\"\n", "size: "},
        BadPlan{"[target]\nsize = \"1MB\"\nerror = 0.1\n", "several targets"},
        BadPlan{"[target]\nerror = 0\n", "0 is the exact version"},
        BadPlan{"[search]\nmethod = \"luck\"\n", "auto, scale, guided, neighbourhood, fixed"},
        BadPlan{"[search]\ntrials = 0\n", "trials is no whole number"},
        BadPlan{"[search]\ntime_limit = \"soon\"\n", "such as 90s, 5m"}));

TEST(Target, IsReadFromAText) {
  SearchTarget target{.significance = 0.05};
  ASSERT_TRUE(parseTarget("quality_loss=0.5", target));
  EXPECT_EQ(target.qualityLoss, 0.5);
  EXPECT_EQ(target.significance, 0.05);
  ASSERT_TRUE(parseTarget("size=20MB", target));
  EXPECT_EQ(target.bytes, 20'000'000);
  EXPECT_FALSE(target.qualityLoss);
  ASSERT_TRUE(parseTarget("error=0.02", target));
  EXPECT_EQ(target.error, 0.02);
  for (const char* text : {"", "size", "size=", "size=x", "error=", "error=-1", "error=0",
                           "error=nan", "quality_loss=0.5%", "loss=1"}) {
    EXPECT_FALSE(parseTarget(text, target)) << text;
  }
  EXPECT_EQ(target.error, 0.02);
}

TEST(ShippedProfiles, ForResumingHaveRulesForBothMoments) {
  for (const char* name : {"resume", "resume-small"}) {
    const auto profile = loadProfile("/nowhere", name);
    ASSERT_TRUE(profile) << profile.error().message;
    const auto& rules = profile->plan.quantize.rules;
    ASSERT_EQ(rules.size(), 3U) << name;
    EXPECT_EQ(isLossy(*rules[0].codec), std::string_view(name) == "resume-small");
    EXPECT_EQ(rules[1].kind, TensorKind::FirstMoment);
    EXPECT_EQ(rules[2].kind, TensorKind::SecondMoment);
    for (const std::size_t i : {1U, 2U}) EXPECT_EQ(rules[i].codec, CodecId::Moments) << name;
    const auto again = parseQualityPlan(qualityProfileText("", profile->plan), "again");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->quantize.rules[1].bits, rules[1].bits);
    EXPECT_EQ(again->quantize.rules[2].kind, rules[2].kind);
  }
}

TEST(ShippedProfiles, OfExcpPruneMomentsWithWeights) {
  const auto profile = loadProfile("/nowhere", "excp");
  ASSERT_TRUE(profile) << profile.error().message;
  const auto& rules = profile->plan.quantize.rules;
  ASSERT_EQ(rules.size(), 3U);
  for (const QuantizeRule& rule : rules) {
    EXPECT_EQ(rule.codec, CodecId::Levels);
    EXPECT_EQ(rule.levelCount, 15U);
  }
  EXPECT_EQ(rules[0].pruneAlpha, 5e-5);
  EXPECT_EQ(rules[1].pruneBeta, 2.0);
}

TEST(QualityPlans, TakeLevelsForMomentsOnlyWithANumber) {
  const std::string head = "mode = \"quality\"\n[[rule]]\nkind = \"first moment\"\n";
  EXPECT_TRUE(parseQualityPlan(head + "codec = \"levels\"\nlevels = 15\n", "mine"));
  for (const char* rest : {"codec = \"levels\"\n", "codec = \"levels\"\nlevels = 0\n",
                           "codec = \"index\"\nlevels = 15\n"}) {
    const auto plan = parseQualityPlan(head + rest, "mine");
    ASSERT_FALSE(plan) << rest;
    EXPECT_THAT(plan.error().message, HasSubstr("moments take codec")) << rest;
  }
}

TEST(ShippedProfiles, HoldPlans) {
  for (const char* name : {"safe", "balanced", "small"}) {
    const auto profile = loadProfile("/nowhere", name);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_TRUE(profile->plan.target.qualityLoss) << name;
    EXPECT_NE(profile->plan.quantize.stepScale, 1) << name;
  }
}

}  // namespace
}  // namespace strata
