#include "core/ops/versions/add_settings.h"

#include "core/archive/write/version_writer.h"
#include "core/store/refs/reference.h"

namespace strata {

void applyProfile(const Profile& profile, const Config& config, AddOptions& options) {
  options.profile = profile.name;
  options.codec = profile.isExact() ? profile.codec : "auto";
  options.effort =
      profile.effort.value_or(effortFromName(config.text("effort")).value_or(Effort::Default));
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
