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
inline Region regionOf(const VariantWeight& variant, const ParentWeight& parent,
                       const LinePair& pair, const LineRun& run) noexcept {
  Region region;
  const bool rows = pair.axis == Axis::Rows;
  region.firstRow = rows ? run.first : 0;
  region.rowCount = rows ? run.count : variant.matrix.rows;
  region.firstColumn = rows ? 0 : run.first;
  region.columnCount = rows ? variant.matrix.columns : run.count;
  region.parent = pair.parent;
  region.stride = parent.matrix.columns;
  region.parentWord =
      pair.parentAxis == Axis::Rows ? run.parentFirst * region.stride : run.parentFirst;
  region.transposed = pair.axis != pair.parentAxis;
  return region;
}

}  // namespace strata::match
