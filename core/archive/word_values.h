#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/element_type.h"

namespace strata {

/// Whether words of `type` are numbers here: opaque, packed and scale kinds are not.
bool hasValues(ElementType type) noexcept;

/// Whether words of `type` are weights, whose change has a size: floating-point numbers. Integers
/// are indices, packed weights or masks: they differ or do not.
bool hasDistance(ElementType type) noexcept;

/// The values of words, one for each; `out` holds as many. Zeros for types without values. Integers
/// above 2^53 are rounded.
void valuesOf(ElementType type, std::span<const std::byte> words, std::span<double> out) noexcept;

}  // namespace strata
