#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/codec/exact/delta_words.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/published/bounded_codec.h"

namespace strata {

/// Symbols of the numbers of `bounded`.
inline constexpr std::size_t kBoundedAlphabet = 128;

/// How the numbers of a part become values. docs/FORMAT.md, "Codec bounded".
struct BoundedScheme {
  BoundedMethod method = BoundedMethod::Uniform;
  float scale = 0;   ///< value of one unit of a sum
  ScaleTerms terms;  ///< Uniform: the expected sizes of the numbers

  /// Contexts of `count` numbers from `first` on, through `map`: by row and column, or by place
  /// among the coefficients.
  void contexts(const PartShape& shape, const std::array<std::uint8_t, kContexts>& map,
                std::uint64_t first, std::size_t count, std::uint8_t* out) const;

  /// sums = what the numbers stand for, in units of `scale`. `count` is a multiple of kDctWords but
  /// at the end of a block: the words left over there are no coefficients. `sums` may not be
  /// `numbers`. False if coefficients are larger than kMostDctSum allows.
  bool sums(std::span<const std::int32_t> numbers, std::int32_t* out) const noexcept;
};

}  // namespace strata
