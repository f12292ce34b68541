#include "core/codec/lossy/moment_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/codec/entropy/byte_stream.h"

namespace strata {
namespace {

constexpr std::uint8_t kHasRows = 1;
constexpr std::uint8_t kHasColumns = 2;
constexpr std::uint8_t kIsSigned = 4;
constexpr std::uint8_t kKeepsSmall = 8;
constexpr std::uint8_t kAllFlags = 15;
constexpr std::uint8_t kMostUnit = 23;
/// 8 terms in an octave of squares, 16 in one of their roots: as fine in both.
constexpr std::uint8_t kSquareUnit = 20;
constexpr std::uint8_t kRootUnit = 19;
/// Terms of rows or columns pay where each serves so many words.
constexpr std::uint64_t kLeastWords = 16;
constexpr std::int64_t kMostBits = 0x7f7fffff;  ///< the largest float
constexpr std::uint32_t kSign = 0x80000000;
constexpr std::int64_t kOneBits = 0x3f800000;

/// Sizes as bits of floats; nothing where there are no squares.
std::vector<std::optional<std::int64_t>> bitsOf(std::span<const double> sums, double divisor,
                                                bool areSquares) {
  std::vector<std::optional<std::int64_t>> bits(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] <= 0) continue;
    const double share = sums[i] / divisor;
    bits[i] = magnitudeBits(static_cast<float>(areSquares ? share : std::sqrt(share)));
  }
  return bits;
}

/// Terms of `bits` in units above the least of them, which is given back.
std::int64_t toTerms(std::span<const std::optional<std::int64_t>> bits, unsigned unit,
                     std::vector<std::uint16_t>& terms) {
  std::optional<std::int64_t> least;
  for (const auto& one : bits) {
    if (one && (!least || *one < *least)) least = one;
  }
  terms.assign(bits.size(), 0);
  if (!least) return 0;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (!bits[i]) continue;
    const std::int64_t units = (*bits[i] - *least + (std::int64_t{1} << (unit - 1))) >> unit;
    terms[i] = static_cast<std::uint16_t>(1 + units);
  }
  return *least;
}

void writeTerms(ByteWriter& out, std::span<const std::uint16_t> terms) {
  for (const unsigned shift : {0U, 8U}) {
    std::vector<std::uint8_t> bytes(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(terms[i] >> shift);
    }
    writeByteStream(out, bytes);
  }
}

bool readTerms(ByteReader& in, std::uint64_t count, std::vector<std::uint16_t>& terms) {
  const auto low = readByteStream(in, count);
  if (!low) return false;
  const auto high = readByteStream(in, count);
  if (!high) return false;
  terms.resize(low->size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = static_cast<std::uint16_t>((*low)[i] | (*high)[i] << 8);
  }
  return true;
}

}  // namespace

std::int64_t magnitudeBits(float value) noexcept {
  return std::bit_cast<std::uint32_t>(value) & ~kSign;
}

MomentGrid MomentGrid::fitted(const PartShape& shape, std::span<const double> squares,
                              bool areSquares) {
  MomentGrid grid(shape);
  grid.isSigned = !areSquares;
  grid.keepsSmall = areSquares && shape.word.bytes < 4;
  grid.unit_ = areSquares ? kSquareUnit : kRootUnit;
  std::vector<double> rows(shape.rows);
  std::vector<double> columns(shape.columns);
  double all = 0;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    for (std::uint64_t c = 0; c < shape.columns; ++c) {
      const double square = squares[r * shape.columns + c];
      rows[r] += square;
      columns[c] += square;
    }
    all += rows[r];
  }
  // Words where a side has no terms stand for the mean of that side.
  const bool hasRows = shape.columns >= kLeastWords;
  const bool hasColumns = shape.rows >= kLeastWords;
  std::int64_t bits = -kOneBits;
  const double meanOfRows = all / static_cast<double>(shape.rows);
  const double meanOfColumns = all / static_cast<double>(shape.columns);
  bits += toTerms(bitsOf(hasRows ? rows : std::vector<double>{meanOfRows}, 1, areSquares),
                  grid.unit_, grid.rows_);
  bits += toTerms(bitsOf(hasColumns ? columns : std::vector<double>{meanOfColumns},
                         all > 0 ? all : 1, areSquares),
                  grid.unit_, grid.terms_);
  if (!hasRows) grid.rows_.clear();
  if (!hasColumns) grid.terms_.clear();
  grid.base_ = static_cast<std::int32_t>(bits);
  grid.countColumns();
  return grid;
}

std::optional<MomentGrid> MomentGrid::read(ByteReader& in, const PartShape& shape) {
  MomentGrid grid(shape);
  const std::uint8_t flags = in.byte();
  grid.unit_ = in.byte();
  grid.base_ = in.fixed<std::int32_t>();
  if (in.failed() || flags > kAllFlags || grid.unit_ > kMostUnit) return std::nullopt;
  grid.isSigned = (flags & kIsSigned) != 0;
  grid.keepsSmall = (flags & kKeepsSmall) != 0;
  if ((flags & kHasRows) != 0 && !readTerms(in, shape.rows, grid.rows_)) return std::nullopt;
  if ((flags & kHasColumns) != 0 && !readTerms(in, shape.columns, grid.terms_)) {
    return std::nullopt;
  }
  grid.offsets.resize(in.byte());
  for (std::int16_t& offset : grid.offsets) offset = in.fixed<std::int16_t>();
  if (in.failed()) return std::nullopt;
  grid.countColumns();
  return grid;
}

void MomentGrid::write(ByteWriter& out) const {
  out.byte(static_cast<std::uint8_t>((rows_.empty() ? 0 : kHasRows) |
                                     (terms_.empty() ? 0 : kHasColumns) |
                                     (isSigned ? kIsSigned : 0) | (keepsSmall ? kKeepsSmall : 0)));
  out.byte(unit_);
  out.fixed(base_);
  if (!rows_.empty()) writeTerms(out, rows_);
  if (!terms_.empty()) writeTerms(out, terms_);
  out.byte(static_cast<std::uint8_t>(offsets.size()));
  for (const std::int16_t offset : offsets) out.fixed(offset);
}

void MomentGrid::countColumns() {
  if (terms_.empty()) return;
  liveBefore_.resize(terms_.size() + 1);
  for (std::size_t c = 0; c < terms_.size(); ++c) {
    liveBefore_[c + 1] = liveBefore_[c] + (terms_[c] != 0 ? 1 : 0);
  }
}

std::int64_t MomentGrid::rowBits(std::uint64_t row) const noexcept {
  if (rows_.empty()) return base_;
  return base_ + (std::int64_t{rows_[row]} - 1) * (std::int64_t{1} << unit_);
}

std::int64_t MomentGrid::columnBits(std::uint64_t column) const noexcept {
  if (terms_.empty()) return 0;
  return (std::int64_t{terms_[column]} - 1) * (std::int64_t{1} << unit_);
}

std::uint64_t MomentGrid::liveWords(std::uint64_t first, std::uint64_t count) const noexcept {
  std::uint64_t live = 0;
  for (std::uint64_t at = first; at < first + count;) {
    const std::uint64_t column = at % columnCount_;
    const std::uint64_t n = std::min(columnCount_ - column, first + count - at);
    if (isRowLive(at / columnCount_)) live += liveBefore(column + n) - liveBefore(column);
    at += n;
  }
  return live;
}

void MomentGrid::values(std::uint64_t first, std::span<const std::uint8_t> symbols,
                        std::span<float> out) const noexcept {
  std::size_t next = 0;
  for (std::size_t i = 0; i < out.size();) {
    const std::uint64_t row = (first + i) / columnCount_;
    const std::uint64_t column = (first + i) % columnCount_;
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(columnCount_ - column, out.size() - i));
    const bool isLive = isRowLive(row);
    const std::int64_t rowSize = isLive ? rowBits(row) : 0;
    for (std::size_t j = 0; j < n; ++j, ++i) {
      out[i] = 0;
      if (!isLive || !isColumnLive(column + j)) continue;
      const unsigned symbol = symbols[next++];
      if (symbol == 0) continue;
      const std::int64_t bits =
          rowSize + columnBits(column + j) +
          std::int64_t{offsets[symbol - 1]} * (std::int64_t{1} << kOffsetUnit);
      const auto word = static_cast<std::uint32_t>(std::clamp<std::int64_t>(bits, 1, kMostBits));
      out[i] = std::bit_cast<float>(word | (isSigned && symbol % 2 == 0 ? kSign : 0));
    }
  }
}

}  // namespace strata
