#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/element_type.h"

namespace strata::match {

/// The bits of one word, in the low end.
using Word = std::uint64_t;

/// Reads word number `index` of little-endian `words`.
Word loadWord(std::span<const std::byte> words, std::uint64_t index,
              std::uint32_t wordBytes) noexcept;

/// Bits of |variant - parent| after both are mapped to order-preserving integers: 0 for equal
/// words. `dropBits` low bits that are zero in every word of the variant are rounded away first.
std::uint32_t differenceBits(Word variant, Word parent, WordFormat format,
                             std::uint32_t dropBits) noexcept;

/// The word of type `to` for a word of type `from`, as the codecs cast it; both are one type or
/// canCast() (core/codec/words/cast.h).
Word castWord(Word word, ElementType from, ElementType to) noexcept;

/// Whether toFloat() means something: f64, f32, f16 and bf16.
bool isPlainFloat(ElementType type) noexcept;
float toFloat(Word word, ElementType type) noexcept;

/// Whether one element is one word, so that columns can be told apart.
bool elementIsWord(ElementType type) noexcept;

}  // namespace strata::match
