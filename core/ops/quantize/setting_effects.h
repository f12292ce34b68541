#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "core/profile/quality_plan.h"
#include "core/result.h"

namespace strata {

/// A setting that people asked for on top of a profile's, and what they know it by.
struct AskedSetting {
  std::string_view setting;  ///< as idleReason() has it
  std::string shownAs;       ///< "--step", "Step scale"
};

/// Whether trials can tell what reaches the plan's target.
bool isMeasured(const QualityPlan& plan, bool hasEvaluator);

/// Whether settings are searched for the plan.
bool isSearched(const QualityPlan& plan, bool hasEvaluator);

/// Fails with InvalidArgument where a setting that was asked for has no effect on `plan`, or where
/// the plan needs one that is not there. `plan` has what was asked for in it; `isSearched` tells
/// whether settings are searched.
Result<void> checkEffects(const QualityPlan& plan, std::span<const AskedSetting> asked,
                          bool isSearched);

/// Fails with InvalidArgument where one of `globs`, which are tensors to keep exactly, matches no
/// tensor of `model`. `shownAs` is what people know the setting by.
Result<void> checkProtected(const ModelDescription& model, std::span<const std::string> globs,
                            std::string_view shownAs);

}  // namespace strata
