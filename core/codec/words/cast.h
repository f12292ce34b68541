#pragma once

#include <cstddef>
#include <span>

#include "core/model/element_type.h"

namespace strata {

/// Whether words of type `from` can stand in for words of type `to`: both among f32, f16, bf16.
bool canCast(ElementType from, ElementType to) noexcept;

/// Converts words, rounding to nearest even; the same bits on every machine. A NaN becomes a NaN
/// that keeps its sign and the top bits of its payload. `in` and `out` hold the same number of
/// words.
void castWords(ElementType from, std::span<const std::byte> in, ElementType to,
               std::span<std::byte> out) noexcept;

}  // namespace strata
