#pragma once

#include "core/archive/manifest.h"
#include "core/evaluate/score_change.h"
#include "core/profile/quality_plan.h"

namespace strata {

/// A score as a manifest has it; `data` is "choice" or "test".
QualityScore recorded(const char* data, const ScoreChange& change);
QualityScore recorded(const ProfileScore& score);

/// What stands in for a score that nobody measured so far: it takes as many bytes, about.
QualityScore unknownQuality(const char* data, const Evaluation& reference);

}  // namespace strata
