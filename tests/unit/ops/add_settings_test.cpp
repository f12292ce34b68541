#include "core/ops/add_settings.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

/// Settings that no file and no variable of this machine has a part in.
Config settingsWith(std::string_view profile, std::string_view effort) {
  Config config = *Config::load("/nowhere/config.toml", std::nullopt);
  EXPECT_TRUE(config.override("profile", profile));
  EXPECT_TRUE(config.override("effort", effort));
  EXPECT_TRUE(config.override("memory", "300MB"));
  return config;
}

struct Chosen {
  AddOptions options;
  std::optional<QualityPlan> plan;
};

Chosen choose(const CodingWish& wish, const Config& config, AddOptions options = {}) {
  auto plan = chooseCoding(wish, config, options);
  EXPECT_TRUE(plan) << plan.error().message;
  return {std::move(options), plan ? *std::move(plan) : std::nullopt};
}

std::string problem(const CodingWish& wish, const Config& config) {
  AddOptions options;
  const auto plan = chooseCoding(wish, config, options);
  return plan ? "was taken" : plan.error().message;
}

TEST(ChooseCoding, TakesTheSettingsWhereNothingIsAsked) {
  const Chosen chosen = choose({}, settingsWith("exact", "fast"), {.name = "kept", .note = "kept"});
  EXPECT_EQ(chosen.plan.has_value(), false);
  EXPECT_EQ(chosen.options.profile, "exact");
  EXPECT_EQ(chosen.options.codec, "auto");
  EXPECT_EQ(chosen.options.effort, Effort::Fast);
  EXPECT_EQ(chosen.options.memoryBytes, 300'000'000U);
  EXPECT_EQ(chosen.options.baseChoice, BaseChoice::Auto);
  EXPECT_EQ(chosen.options.chain, ChainPolicy::Auto);
  EXPECT_EQ(chosen.options.name + chosen.options.note, "keptkept");
}

TEST(ChooseCoding, TakesWhatIsAskedBeforeTheProfileAndThatBeforeTheSettings) {
  const Config config = settingsWith("balanced", "fast");
  EXPECT_TRUE(choose({}, config).plan);
  EXPECT_EQ(choose({}, config).options.profile, "balanced");
  const Chosen asked = choose({.profile = "exact",
                               .codec = "integer",
                               .effort = Effort::Best,
                               .chain = ChainPolicy::Always},
                              config);
  EXPECT_FALSE(asked.plan);
  EXPECT_EQ(asked.options.codec, "integer");
  EXPECT_EQ(asked.options.effort, Effort::Best);
  EXPECT_EQ(asked.options.chain, ChainPolicy::Always);

  AddOptions options;
  const Profile slow{.name = "slow", .mode = "exact", .effort = Effort::Best, .codec = "xor"};
  applyProfile(slow, {}, config, options);
  EXPECT_EQ(options.effort, Effort::Best);
  EXPECT_EQ(options.codec, "xor");
  applyProfile(slow, {.effort = Effort::Fast}, config, options);
  EXPECT_EQ(options.effort, Effort::Fast);
}

TEST(ChooseCoding, ReadsTheBase) {
  const Config config = settingsWith("exact", "default");
  const AddOptions named{.baseChoice = BaseChoice::Reference, .base = "mine"};
  EXPECT_EQ(choose({}, config, named).options.base, "mine");
  EXPECT_EQ(choose({.base = "auto"}, config).options.baseChoice, BaseChoice::Auto);
  EXPECT_EQ(choose({.base = "none"}, config).options.baseChoice, BaseChoice::None);
  const Chosen other = choose({.base = "minilm"}, config);
  EXPECT_EQ(other.options.baseChoice, BaseChoice::Reference);
  EXPECT_EQ(other.options.base, "minilm");
}

TEST(ChooseCoding, AsksForThePlanOfALossyVersionAlone) {
  int asked = 0;
  const auto quality = [&](QualityPlan plan) -> Result<QualityPlan> {
    ++asked;
    plan.quantize.stepScale = 3;
    return plan;
  };
  const Config config = settingsWith("exact", "default");
  EXPECT_FALSE(choose({.quality = quality}, config).plan);
  EXPECT_FALSE(choose({.codec = "xor", .quality = quality}, config).plan);
  EXPECT_EQ(asked, 0);
  // An exact profile says nothing of a lossy version: what is stored has settings of its own.
  for (const CodingWish& wish : {CodingWish{.codec = "levels", .quality = quality},
                                 CodingWish{.asksForLoss = true, .quality = quality}}) {
    const Chosen chosen = choose(wish, config);
    ASSERT_TRUE(chosen.plan);
    EXPECT_EQ(chosen.plan->quantize.stepScale, 3);
    EXPECT_EQ(chosen.options.profile, "custom");
    EXPECT_EQ(chosen.options.codec, "auto");
  }
  EXPECT_EQ(choose({.profile = "small", .quality = quality}, config).options.profile, "small");
  EXPECT_EQ(asked, 3);
}

TEST(ChooseCoding, RefusesWishesThatExcludeEachOther) {
  const Config config = settingsWith("small", "default");
  EXPECT_EQ(problem({.profile = "small", .exact = true}, config),
            "--exact and --profile small exclude each other");
  for (const CodingWish& wish : {CodingWish{.exact = true, .codec = "sign"},
                                 CodingWish{.exact = true, .asksForLoss = true}}) {
    EXPECT_EQ(problem(wish, config), "--exact and lossy options exclude each other");
  }
  EXPECT_FALSE(choose({.profile = "exact", .exact = true}, config).plan);
  const auto refuse = [](QualityPlan) -> Result<QualityPlan> {
    return fail(ErrorCode::InvalidArgument, "not so");
  };
  EXPECT_EQ(problem({.quality = refuse}, config), "not so");
  AddOptions options;
  const auto missing = chooseCoding({.profile = "nobodys"}, config, options);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
}

TEST(ApplySettings, GiveAnImportItsEffortAndMemory) {
  const Config config = settingsWith("small", "best");
  ImportOptions options;
  applySettings(config, std::nullopt, options);
  EXPECT_EQ(options.effort, Effort::Best);
  EXPECT_EQ(options.memoryBytes, 300'000'000U);
  applySettings(config, Effort::Fast, options);
  EXPECT_EQ(options.effort, Effort::Fast);
}

}  // namespace
}  // namespace strata
