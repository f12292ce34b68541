#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/exact/scale_terms.h"
#include "core/codec/exact/table_set.h"
#include "core/codec/words/word_buffer.h"

namespace strata {

/// Calls `visit(row, first, end)` for each run of places [first, end) that lies in one row; `ends`
/// are those of the rows.
template <typename Visit>
void forEachRowRun(std::span<const std::size_t> ends, Visit&& visit) {
  std::size_t first = 0;
  for (std::size_t row = 0; row < ends.size(); first = ends[row], ++row) {
    if (ends[row] != first) visit(row, first, ends[row]);
  }
}

/// The levels of a part that are not 0, row by row: few as a rule, so that all that is decided by
/// levels is decided by these, and the others are but counted.
class NonZeroLevels {
 public:
  /// Room for the levels of a part of this shape; at most 2^32 columns.
  explicit NonZeroLevels(const PartShape& shape);

  /// Adds the next row's, and the values that they stand for.
  void addRow(std::span<const std::int32_t> levels, std::span<const float> values);
  /// Replaces each level by what `decide(row, column, level, value)` makes of it; zeros leave.
  template <typename Decide>
  void change(Decide&& decide);

  std::size_t count() const noexcept { return count_; }
  std::span<const std::uint32_t> columns() const noexcept { return {columns_->data(), count_}; }
  std::span<const std::int32_t> levels() const noexcept { return {levels_->data(), count_}; }
  /// What they stand for.
  std::span<const float> values() const noexcept { return {values_->data(), count_}; }
  /// The levels of words [first, first + out.size()) of the part, zeros and all.
  void write(std::uint64_t first, std::span<std::int32_t> out) const;
  /// Where each row's end.
  std::span<const std::size_t> rowEnds() const noexcept { return rowEnds_; }

 private:
  std::uint64_t columnCount_;
  std::size_t count_ = 0;
  LentBuffer<std::uint32_t> columns_;
  LentBuffer<std::int32_t> levels_;
  LentBuffer<float> values_;
  std::vector<std::size_t> rowEnds_;
};

template <typename Decide>
void NonZeroLevels::change(Decide&& decide) {
  std::uint32_t* const columns = columns_->data();
  std::int32_t* const levels = levels_->data();
  float* const values = values_->data();
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t row = 0; row < rowEnds_.size(); ++row) {
    for (; from < rowEnds_[row]; ++from) {
      columns[to] = columns[from];
      values[to] = values[from];
      levels[to] = decide(row, columns[from], levels[from], values[from]);
      to += levels[to] != 0 ? 1 : 0;
    }
    rowEnds_[row] = to;
  }
  count_ = to;
}

/// The terms of a part's levels, and how often each symbol occurs in the contexts they give.
struct ChosenTerms {
  ScaleTerms terms;
  ContextCounts counts;
};

/// The context of words in rows and columns of these terms.
std::uint8_t levelContextOf(std::int32_t rowTerm, std::int32_t columnTerm) noexcept;

/// Of rows and columns the terms that pay.
ChosenTerms chooseTerms(const PartShape& shape, const NonZeroLevels& levels);
/// The same judged by some runs of levels; the counts are of all.
ChosenTerms chooseTermsBySample(const PartShape& shape, const NonZeroLevels& levels);

/// The contexts of words [first, first + out.size()) of a part, through `map`.
void levelContexts(const PartShape& shape, const ScaleTerms& terms, std::uint64_t first,
                   const std::array<std::uint8_t, kContexts>& map, std::span<std::uint8_t> out);

}  // namespace strata
