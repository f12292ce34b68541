#pragma once

#include <vector>

#include "core/archive/write/step_fit.h"
#include "core/model/model_source.h"

namespace strata {

/// The optimizers of a checkpoint: which weights and moments belong together, and with what
/// settings they were trained. Settings come from the `param_groups` of files of torch.save;
/// moments that no group names are one more list, with the settings that most trainings have. Empty
/// where the model holds no moments. Files that are no such files are passed over.
std::vector<OptimizerSettings> optimizerSettings(const ModelDescription& model);

/// What AddOptions::stepsFrom asks for. Nothing where no step leads from the parent to the model,
/// and where the parent cannot be read: the version is then coded as any other.
std::vector<StepGroup> stepsBetween(const ModelDescription& model, const VersionReader& parent);

}  // namespace strata
