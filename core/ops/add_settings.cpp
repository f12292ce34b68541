#include "core/ops/add_settings.h"

namespace strata {

void applyProfile(const Profile& profile, const Config& config, AddOptions& options) {
  options.profile = profile.name;
  options.codec = profile.isExact() ? profile.codec : "auto";
  options.effort =
      profile.effort.value_or(effortFromName(config.text("effort")).value_or(Effort::Default));
  options.memoryBytes = config.byteCount("memory");
}

}  // namespace strata
