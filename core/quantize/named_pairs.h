#pragma once

#include "core/archive/write/part_encoder.h"
#include "core/archive/write/part_plan.h"
#include "core/result.h"

namespace strata {

/// For who named the base: a weight that has no parent gets the base's weight of its name, shape
/// and type, unless the difference to that is no smaller than the weight itself. Fails as reading
/// the parent does.
Result<void> pairByName(ModelPlan& plan, const PartEncoder& encoder);

}  // namespace strata
