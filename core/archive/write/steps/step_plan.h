#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/predict/adam_replay.h"
#include "core/model/model_source.h"

namespace strata {

class Counterparts;
class VersionReader;
struct ModelPlan;

/// Tensors of a model that one step of an optimizer ties together, by their numbers. Where the
/// parent has all of them as they were a step before, second moment and weights follow from the
/// first moment.
struct StepGroup {
  std::optional<std::uint32_t> weights = {};  ///< nothing: left alone
  std::uint32_t firstMoment = 0;
  std::optional<std::uint32_t> secondMoment = {};  ///< there is none with momentum alone
  std::vector<AdamStep> steps = {};  ///< that may lead from the parent's state to the model's
};

/// Gives parts of moments and weights the sources of their group (PartPlan::stepSources):
/// the parent's tensors of the same names, and tensors of the model. Groups whose tensors are not
/// of f32 and one shape, or in another group, too, stay as they are; so do those where reading
/// would take too many steps, and those where a moment is a copy of other words of the model, which
/// might stand on it. `groups` must outlive the plan.
///
/// False where reading would take too many steps without any group, too: `hasRounded` says that the
/// plan has copies of planRoundedCopies(), whose readers count.
[[nodiscard]] bool planSteps(const ModelDescription& model, const VersionReader& parent,
                             const Counterparts& counterparts, std::span<const StepGroup> groups,
                             bool hasRounded, ModelPlan& plan);

}  // namespace strata
