#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/element_type.h"
#include "core/model/model_source.h"

namespace strata {

/// Whether words of `type` are numbers here: opaque, packed and scale kinds are not.
bool hasValues(ElementType type) noexcept;

/// Whether words of `type` are weights, whose change has a size: floating-point numbers. Integers
/// are indices, packed weights or masks: they differ or do not.
bool hasDistance(ElementType type) noexcept;

/// Whether a tensor is one of weights, of which the change of a model is: none of integers, and no
/// state of an optimizer. A model that has no weights has the change of the state that it has.
bool isWeight(ElementType type, TensorKind kind) noexcept;

/// The values of words, one for each; `out` holds as many. Zeros for types without values. Integers
/// above 2^53 are rounded.
void valuesOf(ElementType type, std::span<const std::byte> words, std::span<double> out) noexcept;

}  // namespace strata
