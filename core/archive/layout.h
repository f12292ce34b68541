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

/// The same with as many words as `out` takes, from the part's word `first` on.
Result<void> gatherWords(const ByteSource& source, const PartView& view, const PartShape& shape,
                         ElementType type, std::uint64_t first, std::span<std::byte> out);

/// A run of bytes of a source's file.
struct ByteRun {
  std::uint64_t offset = 0;
  std::uint64_t byteCount = 0;
};

/// What gatherView() and gatherWords() ask their source for, one after the other, for `count` words
/// of a part from word `first` on. Ends where `visit` says false.
void eachReading(const PartView& view, const PartShape& shape, std::uint64_t first,
                 std::uint64_t count, const std::function<bool(const ByteRun&)>& visit);

/// Bytes of a part, as many as lie in a range of its tensor.
struct PartRun {
  std::uint32_t part = 0;
  std::uint64_t offset = 0;  ///< in the part's own bytes
  std::uint64_t byteCount = 0;
};

/// What of each part lies in a range of the tensor's bytes. Ends where `visit` says false.
void eachPartIn(const TensorLayout& layout, std::uint64_t offset, std::uint64_t byteCount,
                const std::function<bool(const PartRun&)>& visit);

}  // namespace strata
