#pragma once

#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/steps/step_plan.h"

namespace strata {

/// The steps that a stored version is coded by, for coding it anew. `model` is what it restores to.
/// Of another parent they predict nothing, which does no harm.
std::vector<StepGroup> formerSteps(const VersionReader& version, const ModelDescription& model);

}  // namespace strata
