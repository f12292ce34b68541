#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/element_type.h"

namespace strata {

/// What differs between two runs of words. Sums add up over runs.
struct WordChange {
  std::uint64_t wordCount = 0;
  std::uint64_t changedWords = 0;  ///< in any bit
  double squaredChange = 0;        ///< sum of (b - a)^2 where both are finite
  double squaredA = 0;             ///< sum of a^2 where it is finite
  double maxAbsChange = 0;

  WordChange& operator+=(const WordChange& more) noexcept;
  /// ||b - a|| / ||a||; infinite if only a is zero.
  double relativeChange() const noexcept;
};

/// Compares words of `type`; both runs have the same size. Types without a numeric meaning here
/// (opaque, packed and scale kinds) count changed bytes only.
WordChange compareWords(ElementType type, std::span<const std::byte> a,
                        std::span<const std::byte> b) noexcept;

}  // namespace strata
