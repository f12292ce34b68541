#pragma once

#include <cstdint>

#include "core/match/detail/sampling.h"

namespace strata::match {

/// The two ways of seeing a matrix as a list of lines.
enum class Axis : std::uint8_t { Rows, Columns };

inline std::uint64_t lineCount(const Weight& weight, Axis axis) noexcept {
  return axis == Axis::Rows ? weight.matrix.rows : weight.matrix.columns;
}

inline std::uint64_t lineLength(const Weight& weight, Axis axis) noexcept {
  return axis == Axis::Rows ? weight.matrix.columns : weight.matrix.rows;
}

/// Lines of both sides that go together: equally long, one after the other.
struct LineRun {
  std::uint64_t first = 0;        ///< line of the variant
  std::uint64_t parentFirst = 0;  ///< line of the parent
  std::uint64_t count = 0;

  friend bool operator==(const LineRun&, const LineRun&) = default;
};

/// Which lines of which weights are compared.
struct LinePair {
  std::size_t parent = 0;
  Axis axis = Axis::Rows;
  Axis parentAxis = Axis::Rows;
};

/// The words of a run as rectangles.
inline PartMatch matchOf(const VariantWeight& variant, const ParentSampler& sampler,
                         const LinePair& pair, const LineRun& run) {
  PartMatch part;
  const bool rows = pair.axis == Axis::Rows;
  part.firstRow = rows ? run.first : 0;
  part.rowCount = rows ? run.count : variant.matrix.rows;
  part.firstColumn = rows ? 0 : run.first;
  part.columnCount = rows ? variant.matrix.columns : run.count;
  ParentRectangle& from = part.parent.emplace(sampler.rectangleOf(pair.parent));
  from.transposed = pair.axis != pair.parentAxis;
  const ParentWeight parent = sampler.weight(pair.parent);
  const std::uint64_t columns = parent.matrix.columns;
  from.offset +=
      run.parentFirst * (pair.parentAxis == Axis::Rows ? columns : 1) * parent.format.bytes;
  if (strideOf(from, part) != columns) from.stride = columns;
  return part;
}

}  // namespace strata::match
