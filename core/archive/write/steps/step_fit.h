#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/steps/step_plan.h"
#include "core/codec/predict/fit_step.h"
#include "core/match/optimizer_pairs.h"

namespace strata {

/// Weights and moments that have the same settings, such as those of one of an optimizer's
/// `param_groups`.
struct OptimizerSettings {
  StepSettings settings = {};
  std::vector<OptimizerPair> pairs = {};
  /// The tensor that holds the number of steps, an f32; what the parent has of that name says how
  /// many steps lie between. Nothing: as the settings say.
  std::optional<std::uint32_t> stepTensor = {};
};

/// The groups in which a step leads from the parent to the model: each list of pairs has one, which
/// is tried on some ten thousand words of its largest tensors. Lists that no step fits are left
/// out; so are, later, tensors that the parent has not by name. Fails as reading the parent does.
Result<std::vector<StepGroup>> fitSteps(const ModelDescription& model, const VersionReader& parent,
                                        std::span<const OptimizerSettings> optimizer);

}  // namespace strata
