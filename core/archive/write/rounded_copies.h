#pragma once

#include <span>
#include <vector>

#include "core/archive/write/counterparts.h"
#include "core/match/matcher.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Weights in bf16 or f16 that are the rounded words of a finer copy in the same model, as an
/// optimizer keeps one, get a view of that copy: they cost nothing then. The copy goes by the
/// parent's. To be called before own views are flattened.
///
/// Left alone are weights that the parent has as they are, those that others are coded against, and
/// those whose copy is not in the parent. `parent` are the tensors of the parent, and `matches` has
/// one for each tensor of the model. Whether any got one. Fails as parallelFor() does.
Result<bool> planRoundedCopies(const ModelDescription& model, std::span<const ParentTensor> parent,
                               const Counterparts& counterparts, std::vector<TensorMatch>& matches);

}  // namespace strata
