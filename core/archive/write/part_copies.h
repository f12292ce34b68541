#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/archive/write/part_plan.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Whether a part is the whole of a tensor that is a copy of an earlier one of the model, such as a
/// tied weight.
bool isCopy(const PartPlan& part) noexcept;

/// The tensor that `copy` is a copy of. It has the same bytes, but may have another shape.
std::uint32_t originalOf(const ModelDescription& model, const PartPlan& copy) noexcept;

/// What `copy` restores to: its original's parts put together, each as `wordsOf` gives it, row by
/// row. Fails as that does.
Result<std::vector<std::byte>> wordsOfCopy(
    const ModelDescription& model, const ModelPlan& plan, const PartPlan& copy,
    const std::function<Result<std::vector<std::byte>>(const PartPlan&)>& wordsOf);

}  // namespace strata
