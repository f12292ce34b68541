#include "core/archive/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/checked_math.h"
#include "core/codec/words/cast.h"

namespace strata {
namespace {

/// Words of the parent held at a time while a view is gathered.
constexpr std::uint64_t kPieceWords = 1 << 20;

tl::unexpected<Error> brokenTensor(const ManifestTensor& tensor, std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("tensor {}: {}", tensor.name, what));
}

std::optional<std::uint64_t> byteCountOf(const ManifestTensor& tensor, ElementType type) {
  std::uint64_t count = 1;
  for (const std::uint64_t dimension : tensor.shape) {
    const auto product = checkedMultiply<std::uint64_t>(count, dimension);
    if (!product) return std::nullopt;
    count = *product;
  }
  return bytesOfElements(type, count);
}

/// Parts as the manifest lists them: bands from the top, in each band from left to right.
Result<std::vector<PartLayout>> layoutParts(const ManifestTensor& tensor,
                                            const WordMatrix& matrix) {
  std::vector<PartLayout> parts;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  for (const ManifestPart& part : tensor.parts) {
    if (row >= matrix.rows) return brokenTensor(tensor, "more parts than rows");
    PartLayout layout;
    layout.firstRow = row;
    layout.rowCount = part.rowCount == 0 ? matrix.rows - row : part.rowCount;
    layout.firstColumn = part.firstColumn;
    layout.columnCount = part.columnCount == 0 ? matrix.columns - column : part.columnCount;
    const bool fits = layout.rowCount <= matrix.rows - row && layout.firstColumn == column &&
                      layout.columnCount <= matrix.columns - column;
    const bool inBand = column == 0 || layout.rowCount == parts.back().rowCount;
    if (!fits || !inBand) return brokenTensor(tensor, "parts overlap or leave a gap");
    column += layout.columnCount;
    if (column == matrix.columns) {
      column = 0;
      row += layout.rowCount;
    }
    parts.push_back(layout);
  }
  if (row != matrix.rows || column != 0) return brokenTensor(tensor, "parts do not cover it");
  return parts;
}

/// Reads words as the parent has them, cast to `type`.
Result<void> readWords(const ByteSource& source, const PartView& view, std::uint64_t offset,
                       ElementType type, std::span<std::byte> out) {
  if (view.type == type) return source(view.file, offset, out);
  const std::uint64_t count = out.size() / wordFormat(type).bytes;
  std::vector<std::byte> raw(count * wordFormat(view.type).bytes);
  STRATA_TRY(source(view.file, offset, raw));
  castWords(view.type, raw, type, out);
  return {};
}

/// Copies a rectangle of `rows` x `columns` words to its place, transposed or not.
void place(const std::byte* from, std::uint64_t stride, std::uint64_t rows, std::uint64_t columns,
           std::size_t bytes, bool transposed, std::byte* to, std::uint64_t toStride) {
  constexpr std::uint64_t kTile = 32;
  if (!transposed) {
    for (std::uint64_t r = 0; r < rows; ++r) {
      std::memcpy(to + r * toStride * bytes, from + r * stride * bytes, columns * bytes);
    }
    return;
  }
  const auto copyTile = [&]<std::size_t kBytes>(std::uint64_t r0, std::uint64_t c0) {
    for (std::uint64_t c = c0; c < std::min(columns, c0 + kTile); ++c) {
      for (std::uint64_t r = r0; r < std::min(rows, r0 + kTile); ++r) {
        std::memcpy(to + (c * toStride + r) * kBytes, from + (r * stride + c) * kBytes, kBytes);
      }
    }
  };
  for (std::uint64_t r0 = 0; r0 < rows; r0 += kTile) {
    for (std::uint64_t c0 = 0; c0 < columns; c0 += kTile) {
      switch (bytes) {
        case 1:
          copyTile.operator()<1>(r0, c0);
          break;
        case 2:
          copyTile.operator()<2>(r0, c0);
          break;
        case 4:
          copyTile.operator()<4>(r0, c0);
          break;
        default:
          copyTile.operator()<8>(r0, c0);
      }
    }
  }
}

}  // namespace

Result<TensorLayout> layoutOf(const ManifestTensor& tensor) {
  STRATA_TRY(TensorLayout layout, layoutWithoutParts(tensor));
  STRATA_TRY(layout.parts, layoutParts(tensor, layout.matrix));
  return layout;
}

Result<TensorLayout> layoutWithoutParts(const ManifestTensor& tensor) {
  const auto stored = static_cast<std::uint32_t>(tensor.type);
  const auto type = elementTypeFromStored(stored);
  if (!type) return brokenTensor(tensor, fmt::format("unknown type {}", stored));
  TensorLayout layout;
  layout.type = *type;
  const auto bytes = byteCountOf(tensor, *type);
  if (!bytes || *bytes == 0) return brokenTensor(tensor, "its shape has no bytes or too many");
  layout.byteCount = *bytes;
  layout.matrix = wordMatrix(*type, tensor.shape, *bytes);
  return layout;
}

bool isCastable(const PartView& view, ElementType type) noexcept {
  return view.type == type ||
         (elementTypeFromStored(static_cast<std::uint32_t>(view.type)) && canCast(view.type, type));
}

bool isContiguous(const PartView& view, const PartShape& shape) noexcept {
  if (view.transposed) return shape.rows == 1 && (view.stride == 0 || view.stride == 1);
  return view.stride == 0 || view.stride == shape.columns || shape.rows == 1;
}

std::optional<std::uint64_t> viewExtent(const PartView& view, const PartShape& shape) noexcept {
  const std::uint64_t rows = view.transposed ? shape.columns : shape.rows;
  const std::uint64_t columns = view.transposed ? shape.rows : shape.columns;
  const std::uint64_t stride = view.stride == 0 ? columns : view.stride;
  const auto gaps = checkedMultiply<std::uint64_t>(rows - 1, stride);
  if (!gaps) return std::nullopt;
  const auto words = checkedAdd<std::uint64_t>(*gaps, columns);
  if (!words) return std::nullopt;
  return checkedMultiply<std::uint64_t>(*words, wordFormat(view.type).bytes);
}

Result<void> readContiguous(const ByteSource& source, const PartView& view, std::uint64_t first,
                            ElementType type, std::span<std::byte> out) {
  return readWords(source, view, view.offset + first * wordFormat(view.type).bytes, type, out);
}

Result<void> gatherView(const ByteSource& source, const PartView& view, const PartShape& shape,
                        ElementType type, std::span<std::byte> out) {
  if (isContiguous(view, shape)) return readContiguous(source, view, 0, type, out);
  const std::uint64_t rows = view.transposed ? shape.columns : shape.rows;
  const std::uint64_t columns = view.transposed ? shape.rows : shape.columns;
  const std::uint64_t stride = view.stride == 0 ? columns : view.stride;
  const std::size_t bytes = shape.word.bytes;
  const std::uint64_t step = std::clamp<std::uint64_t>(kPieceWords / stride, 1, rows);
  std::vector<std::byte> piece(((step - 1) * stride + columns) * bytes);
  for (std::uint64_t row = 0; row < rows; row += step) {
    const std::uint64_t n = std::min(step, rows - row);
    const auto part = std::span(piece).first(((n - 1) * stride + columns) * bytes);
    const std::uint64_t offset = view.offset + row * stride * wordFormat(view.type).bytes;
    STRATA_TRY(readWords(source, view, offset, type, part));
    std::byte* to = out.data() + (view.transposed ? row : row * shape.columns) * bytes;
    place(part.data(), stride, n, columns, bytes, view.transposed, to, shape.columns);
  }
  return {};
}

}  // namespace strata
