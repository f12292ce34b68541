#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/match/detail/plan.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata::match {

/// Lets weights of a model's later files be coded against weights of its earlier ones: the same
/// model in another format, or checkpoints side by side. Names propose, samples decide.
///
/// `plans` has a plan for each weight; those that cost clearly more than a difference to an earlier
/// file get that instead. What another plan points at, and what an own view points at then, keeps
/// its plan: own views go one step. Fails with Internal only.
Result<void> relateFiles(const ModelDescription& model, const VariantWeights& weights,
                         bool allowCasts, std::vector<std::optional<Plan>>& plans);

}  // namespace strata::match
