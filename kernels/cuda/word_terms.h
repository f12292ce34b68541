#pragma once

// What depends on a word's row and column: contexts and predictions. See rans_warp.h.

#include "kernels/cuda/rans_warp.h"
#include "kernels/part_words.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

/// The place of a lane's word in its part.
struct Place {
  std::uint32_t row;
  std::uint32_t column;

  STRATA_SHARED void moveOn(std::uint32_t words, std::uint32_t columns) noexcept {
    column += words;
    if (column < columns) return;
    const std::uint32_t rows = column / columns;
    row += rows;
    column -= rows * columns;
  }
};

STRATA_SHARED inline Place placeOf(std::uint32_t word, std::uint32_t columns) noexcept {
  return {word / columns, word % columns};
}

/// Contexts of a part's symbols.
struct SymbolContexts {
  const std::int32_t* rows;
  const std::int16_t* columns;
  std::int32_t all;

  STRATA_SHARED SymbolContexts(const std::byte* input, const DevicePart& part) noexcept
      : rows(arrayAt<std::int32_t>(input, part.symbols.rowsAt)),
        columns(arrayAt<std::int16_t>(input, part.symbols.columnsAt)),
        all(part.symbols.allRows) {}

  /// That of a word whose parent has `exponent`, 0 where exponents do not count.
  STRATA_SHARED std::uint32_t of(const Place& place, std::int32_t exponent) const noexcept {
    const std::int32_t row = rows == nullptr ? all : rows[place.row];
    if (row == kDeviceDeadRow) return 0;
    const std::int32_t context =
        row + (columns == nullptr ? 0 : columns[place.column]) - 2 * exponent;
    return static_cast<std::uint32_t>(context < 1 ? 1 : context > 63 ? 63 : context);
  }
};

/// Tables by context of a part's symbols.
struct SymbolTables {
  const std::uint32_t* entries;
  const std::uint8_t* map;
  SymbolContexts contexts;

  STRATA_SHARED SymbolTables(const std::byte* input, const DevicePart& part) noexcept
      : entries(arrayAt<std::uint32_t>(input, part.symbols.tablesAt)),
        map(arrayAt<std::uint8_t>(input, part.symbols.mapAt)),
        contexts(input, part) {}

  /// The table of a word; see SymbolContexts::of().
  STRATA_SHARED const std::uint32_t* of(const Place& place, std::int32_t exponent) const noexcept {
    return entries + std::uint32_t{map[contexts.of(place, exponent)]} * kProbabilityScale;
  }
};

/// Low-rank factors of a part.
template <typename Factor, typename Sum>
STRATA_SHARED inline Sum factorSum(const std::byte* input, const DevicePart& part,
                                   const Place& place) noexcept {
  const Factor* rows = arrayAt<Factor>(input, part.factors.rowsAt) + place.row * part.factors.rank;
  const Factor* columns = arrayAt<Factor>(input, part.factors.columnsAt) + place.column;
  Sum sum = 0;
  for (std::uint32_t k = 0; k < part.factors.rank; ++k) {
    sum += static_cast<Sum>(rows[k]) * columns[std::uint64_t{k} * part.columns];
  }
  return sum;
}

/// A word of 2 or 4 bytes after `map(value)`; what is no number stays.
template <typename Map>
STRATA_SHARED inline std::uint32_t mappedWord(FloatKind kind, std::uint32_t word,
                                              Map&& map) noexcept {
  if (kind == FloatKind::F32) return mapped32(word, map);
  const auto narrow = static_cast<std::uint16_t>(word);
  return kind == FloatKind::BF16 ? mappedBfloat(narrow, map) : mappedHalf(narrow, map);
}

/// The predictor's word for a parent's word.
STRATA_SHARED inline std::uint32_t predicted(const std::byte* input, const DevicePart& part,
                                             const Place& place, std::uint32_t word) noexcept {
  if (part.factors.isWide) {
    const auto sum = factorSum<std::int32_t, std::int64_t>(input, part, place);
    return mappedWord(part.kind, word,
                      [&](float value) { return withWideSum(value, sum, part.factors.scale); });
  }
  const auto* palette = arrayAt<std::uint8_t>(input, part.difference.paletteAt);
  if (const unsigned choice = palette == nullptr ? 0 : palette[place.row]; choice != 0) {
    const float factor = arrayAt<float>(input, part.difference.decaysAt)[choice - 1];
    return mappedWord(part.kind, word, [&](float value) { return value * factor; });
  }
  if (part.factors.rank == 0) return word;
  const auto sum = factorSum<std::int16_t, std::int32_t>(input, part, place);
  const auto scale = static_cast<float>(part.factors.scale);
  return mappedWord(part.kind, word, [&](float value) { return value + scaledSum(sum, scale); });
}

/// Words of one byte are coded as two.
template <typename Stored>
using CodedWord = std::conditional_t<sizeof(Stored) == 1, std::uint16_t, Stored>;

template <typename Stored>
STRATA_SHARED inline CodedWord<Stored> codedWord(Stored word, const DevicePart& part) noexcept {
  if constexpr (sizeof(Stored) == 1) {
    return widenedByte(word, part.isFloat, part.isSigned);
  } else {
    return word;
  }
}
template <typename Stored>
STRATA_SHARED inline Stored storedWord(CodedWord<Stored> word, const DevicePart& part) noexcept {
  if constexpr (sizeof(Stored) == 1) {
    return narrowedByte(word, part.isFloat);
  } else {
    return word;
  }
}

/// A parent's word as differences are taken to it: coded, predicted, without the zero bits.
template <typename Stored>
STRATA_SHARED inline CodedWord<Stored> parentWord(const std::byte* input, const DevicePart& part,
                                                  const Place& place, Stored stored) noexcept {
  CodedWord<Stored> word = codedWord(stored, part);
  if (part.factors.rank != 0 || part.difference.paletteAt != kNoArray) {
    word = static_cast<CodedWord<Stored>>(predicted(input, part, place, word));
  }
  return part.difference.shift == 0 ? word : roundedShift(word, part.difference.shift);
}

/// The exponent of such a word as contexts see it.
template <typename Word>
STRATA_SHARED inline std::int32_t exponentIn(const DevicePart& part, Word parent) noexcept {
  return part.difference.hasExponents ? exponentOf(parent, part.difference.format.mantissaBits) : 0;
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
