#pragma once

#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/steps/step_plan.h"

namespace strata {

/// The steps that lead from a stored version to `model`, by what its files say of optimizers
/// (ModelDescription::optimizers) or, where they say nothing, its metadata of the number of its
/// step, and by what its tensors are called. Nothing where it has no moments, or no later ones.
/// Fails as reading the parent does.
Result<std::vector<StepGroup>> optimizerSteps(const ModelDescription& model,
                                              const VersionReader& parent);

}  // namespace strata
