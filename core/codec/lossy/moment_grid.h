#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/entropy/byte_io.h"

namespace strata {

/// What the words of an optimizer's moments are measured by: a size for each row and each column,
/// and an offset for each symbol. All of them are added as integers, to the bits of a float, which
/// grow about as its logarithm does. So no decoder computes a logarithm, and what comes out is the
/// same on every machine. docs/FORMAT.md, "Codec moments".
class MomentGrid {
 public:
  /// Bits of a float that one unit of an offset stands for, as a power of two: 128 in an octave.
  static constexpr unsigned kOffsetUnit = 16;
  static constexpr std::size_t kMostSymbols = 255;  ///< beside that of zero

  /// Finds sizes for words whose squares are `squares`, all finite and not negative: those of a
  /// row times those of a column, as if the squares had rank 1 (Adafactor). Of the squares
  /// themselves where `areSquares`, else of their roots.
  static MomentGrid fitted(const PartShape& shape, std::span<const double> squares,
                           bool areSquares);

  /// Reads what write() wrote. Nothing if the bytes are damaged.
  static std::optional<MomentGrid> read(ByteReader& in, const PartShape& shape);
  void write(ByteWriter& out) const;

  /// Calls `take(index, bits)` for each word that has a symbol, with the bits that it has at an
  /// offset of 0. Words whose row or column has no squares are 0 and have no symbol.
  template <typename Take>
  void forEachLive(Take take) const;

  /// How many of words [first, first + count) have a symbol.
  std::uint64_t liveWords(std::uint64_t first, std::uint64_t count) const noexcept;

  /// The values of words [first, first + out.size()), given the symbols of those that have one.
  /// Symbol 0 is the value 0; where `isSigned`, even symbols are negative.
  void values(std::uint64_t first, std::span<const std::uint8_t> symbols,
              std::span<float> out) const noexcept;

  std::vector<std::int16_t> offsets;  ///< of symbols 1, 2 …
  bool isSigned = false;
  /// Words of 16 bits that would round to 0 are the smallest there is, but for those of symbol 0.
  bool keepsSmall = false;

 private:
  explicit MomentGrid(const PartShape& shape)
      : rowCount_(shape.rows), columnCount_(shape.columns) {}

  bool isRowLive(std::uint64_t row) const noexcept { return rows_.empty() || rows_[row] != 0; }
  std::int64_t rowBits(std::uint64_t row) const noexcept;
  std::int64_t columnBits(std::uint64_t column) const noexcept;
  bool isColumnLive(std::uint64_t column) const noexcept {
    return terms_.empty() || terms_[column] != 0;
  }
  std::uint64_t liveBefore(std::uint64_t column) const noexcept {
    return terms_.empty() ? column : liveBefore_[column];
  }
  void countColumns();

  std::uint64_t rowCount_;
  std::uint64_t columnCount_;
  std::uint8_t unit_ = 0;  ///< bits that a term's unit stands for, as a power of two
  std::int32_t base_ = 0;
  std::vector<std::uint16_t> rows_;  ///< 0: no squares; else 1 + units above the base; may be empty
  std::vector<std::uint16_t> terms_;       ///< of columns, likewise
  std::vector<std::uint32_t> liveBefore_;  ///< columns with squares before each; empty: all
};

template <typename Take>
void MomentGrid::forEachLive(Take take) const {
  for (std::uint64_t row = 0; row < rowCount_; ++row) {
    if (!isRowLive(row)) continue;
    const std::int64_t size = rowBits(row);
    for (std::uint64_t column = 0; column < columnCount_; ++column) {
      if (!isColumnLive(column)) continue;
      take(static_cast<std::size_t>(row * columnCount_ + column), size + columnBits(column));
    }
  }
}

/// The bits of a float as a number that grows with its magnitude.
std::int64_t magnitudeBits(float value) noexcept;

}  // namespace strata
