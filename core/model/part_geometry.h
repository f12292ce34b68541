#pragma once

#include <cstdint>

#include "core/model/element_type.h"

namespace strata {

/// One part of a tensor in words of its matrix: a rectangle of it.
struct PartLayout {
  std::uint64_t firstRow = 0;
  std::uint64_t rowCount = 0;
  std::uint64_t firstColumn = 0;
  std::uint64_t columnCount = 0;

  std::uint64_t wordCount() const noexcept { return rowCount * columnCount; }
};

/// A rectangle of words of the parent's files, or of this version's own: what a part is predicted
/// from (docs/FORMAT.md, "Views").
///
/// Word (i, j) of the rectangle is at `offset` bytes + (i * stride + j) words. Word (r, c) of the
/// part is coded against (r, c) of the rectangle, or (c, r) where `transposed`.
struct PartView {
  std::uint64_t offset = 0;               ///< of the first word, in bytes
  std::uint64_t stride = 0;               ///< words between rows; 0: no gap
  std::uint32_t file = 0;                 ///< index into the files of that version
  bool own = false;                       ///< of this version (docs/FORMAT.md, "Own views")
  bool transposed = false;                ///< row r, column c of the part is row c, column r there
  ElementType type = ElementType::Bytes;  ///< of the words there; casts differ from the part's

  friend bool operator==(const PartView&, const PartView&) = default;
};

/// Words from one row of the rectangle that a part sees to the next.
inline std::uint64_t strideOf(const PartView& view, const PartLayout& part) noexcept {
  if (view.stride != 0) return view.stride;
  return view.transposed ? part.rowCount : part.columnCount;
}

}  // namespace strata
