#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/archive/manifest.h"
#include "core/codec/codec.h"
#include "core/match/matcher.h"
#include "core/result.h"

namespace strata {

/// A tensor's bytes as a matrix of words, and the parts that tile it.
struct TensorLayout {
  ElementType type = ElementType::Bytes;
  std::uint64_t byteCount = 0;
  WordMatrix matrix;
  std::vector<PartLayout> parts;

  PartShape shapeOf(const PartLayout& part) const noexcept {
    return {wordFormat(type), part.rowCount, part.columnCount};
  }
  bool isFullWidth(const PartLayout& part) const noexcept {
    return part.columnCount == matrix.columns;
  }
};

/// Works out and checks the layout of a manifest's tensor. Fails with CorruptData.
Result<TensorLayout> layoutOf(const ManifestTensor& tensor);

/// The same but for its parts, which are not looked at.
Result<TensorLayout> layoutWithoutParts(const ManifestTensor& tensor);

/// Reads bytes of a file of some model: a stored version's, or one that is being added.
using ByteSource =
    std::function<Result<void>(std::uint32_t file, std::uint64_t offset, std::span<std::byte> out)>;

/// Whether the words that a view shows are, or can be cast to, words of a tensor of type `type`.
bool isCastable(const PartView& view, ElementType type) noexcept;

/// Whether the part's words lie one after the other in the parent.
bool isContiguous(const PartView& view, const PartShape& shape) noexcept;

/// Bytes of the parent's file that the view may touch, from view.offset on. Nothing on overflow.
std::optional<std::uint64_t> viewExtent(const PartView& view, const PartShape& shape) noexcept;

/// Fills `out` with `count` words of a contiguous view from word `first` of the part on.
Result<void> readContiguous(const ByteSource& source, const PartView& view, std::uint64_t first,
                            ElementType type, std::span<std::byte> out);

/// Fills `out` with all words of any view, gathered row by row; `out` is the part's size.
Result<void> gatherView(const ByteSource& source, const PartView& view, const PartShape& shape,
                        ElementType type, std::span<std::byte> out);

}  // namespace strata
