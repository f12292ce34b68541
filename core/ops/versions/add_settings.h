#pragma once

#include "core/config/config.h"
#include "core/ops/versions/add_version.h"
#include "core/profile/profile.h"

namespace strata {

/// What a profile and the settings in force say of how a model is coded: profile, codec, effort and
/// working memory of `options`. What a caller was asked for goes on top.
void applyProfile(const Profile& profile, const Config& config, AddOptions& options);

/// Whether names, tags, texts and the codec are ones that a version may have. Fails with
/// InvalidArgument.
Result<void> checkAddOptions(const AddOptions& options);

}  // namespace strata
