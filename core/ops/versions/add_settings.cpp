#include "core/ops/versions/add_settings.h"

#include <fmt/format.h>

#include "core/archive/write/write_options.h"
#include "core/codec/codec.h"
#include "core/store/refs/reference.h"

namespace strata {
namespace {

bool asksForLoss(const CodingWish& wish) {
  const auto codec = wish.codec ? codecFromName(*wish.codec) : std::nullopt;
  return wish.asksForLoss || (codec && isLossy(*codec));
}

Result<Profile> loadWished(const CodingWish& wish, const Config& config) {
  if (wish.exact && wish.profile && *wish.profile != "exact") {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--exact and --profile {} exclude each other", *wish.profile));
  }
  if (wish.exact) return loadProfile(profileFolder(), "exact");
  if (wish.profile) return loadProfileOrFile(profileFolder(), *wish.profile);
  return loadProfile(profileFolder(), config.text("profile"));
}

Effort effortOf(const Config& config) {
  return effortFromName(config.text("effort")).value_or(Effort::Default);
}

}  // namespace

Result<std::optional<QualityPlan>> chooseCoding(const CodingWish& wish, const Config& config,
                                                AddOptions& options) {
  STRATA_TRY(const Profile profile, loadWished(wish, config));
  std::optional<QualityPlan> plan;
  if (!profile.isExact() || asksForLoss(wish)) {
    if (wish.exact) {
      return fail(ErrorCode::InvalidArgument, "--exact and lossy options exclude each other");
    }
    plan = profile.plan;
    if (wish.quality) {
      STRATA_TRY(plan, wish.quality(profile.plan));
    }
  }
  applyProfile(profile, wish, config, options);
  if (plan && profile.isExact()) options.profile = "custom";
  if (plan) options.codec = "auto";
  return plan;
}

void applyProfile(const Profile& profile, const CodingWish& wish, const Config& config,
                  AddOptions& options) {
  options.profile = profile.name;
  options.codec = profile.isExact() ? wish.codec.value_or(profile.codec) : "auto";
  options.effort = wish.effort.value_or(profile.effort.value_or(effortOf(config)));
  options.memoryBytes = config.byteCount("memory");
  if (wish.chain) options.chain = *wish.chain;
  if (!wish.base || *wish.base == "auto") return;
  options.baseChoice = *wish.base == "none" ? BaseChoice::None : BaseChoice::Reference;
  if (*wish.base != "none") options.base = *wish.base;
}

void applySettings(const Config& config, std::optional<Effort> asked, ImportOptions& options) {
  options.effort = asked.value_or(effortOf(config));
  options.memoryBytes = config.byteCount("memory");
}

Result<void> checkAddOptions(const AddOptions& options) {
  STRATA_TRY(checkName(options.name));
  for (const std::string& tag : options.tags) STRATA_TRY(checkTag(tag));
  STRATA_TRY(checkText("note", options.note));
  STRATA_TRY(checkText("license", options.license));
  STRATA_TRY(exactCodecFromName(options.codec));
  return checkText("source", options.sourceUrl);
}

}  // namespace strata
