#pragma once

#include <cstdint>
#include <span>

#include "core/model/element_type.h"

namespace strata {

/// How far words are from their parent's. Sums over several parts add up. The squares are of
/// weights alone: of floating-point words that are no fill values. A pair of words holds fill
/// values, such as masks and counters do, where both are 10^4 or more in magnitude, or one is 10^30
/// or more.
struct Change {
  std::uint64_t words = 0;
  std::uint64_t changedWords = 0;  ///< in any bit; of words of two types: in value
  std::uint64_t roundedWords = 0;  ///< of those: one is the other, rounded to the one's type
  std::uint64_t leftOutWords = 0;  ///< integers, fill values and, of a model, the
                                   ///< state of its optimizer: not in the squares
  double differenceSquares = 0;    ///< sum of (word - parent)^2; finite values only
  double parentSquares = 0;

  void add(const Change& other) noexcept;
  double changedShare() const noexcept;
  /// L2 norm of the difference / L2 norm of the parent; infinite if only the parent is zero.
  double relativeChange() const noexcept;
};

/// Compares words of one type; both spans hold the same number of them. Types without values
/// (core/archive/word_values.h) have no distance.
Change measureChange(ElementType type, std::span<const std::byte> parent,
                     std::span<const std::byte> words);

/// Words and their type.
struct TypedWords {
  ElementType type = ElementType::Bytes;
  std::span<const std::byte> bytes = {};
};

/// Whether the values of two types can be compared: both among f64, f32, f16 and bf16.
bool canCompare(ElementType a, ElementType b) noexcept;

/// The same for words of two types, which canCompare() where they are not one. The values are
/// compared, and none of them is rounded for that. Both hold the same number of words.
Change measureChange(const TypedWords& parent, const TypedWords& words);

/// Largest |word - parent| that is finite.
double largestDifference(const TypedWords& parent, const TypedWords& words);

}  // namespace strata
