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

/// What a view that is not contiguous shows, and the rows of it that are read at once.
struct Rectangle {
  Rectangle(const PartView& of, const PartShape& shape)
      : view(of),
        rows(of.transposed ? shape.columns : shape.rows),
        columns(of.transposed ? shape.rows : shape.columns),
        stride(of.stride == 0 ? columns : of.stride) {}

  std::uint64_t rowsAtOnce() const noexcept {
    return std::clamp<std::uint64_t>(kPieceWords / stride, 1, rows);
  }
  /// From the first word of `rowCount` rows to their last one.
  std::uint64_t wordsOf(std::uint64_t rowCount) const noexcept {
    return (rowCount - 1) * stride + columns;
  }
  std::uint64_t offsetOf(std::uint64_t row) const noexcept {
    return view.offset + row * stride * wordFormat(view.type).bytes;
  }

  const PartView& view;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t stride;
};

/// `count` words from word `first` on as up to three rectangles: a row's end, rows, a row's begin.
std::vector<PartLayout> rectanglesOf(const PartShape& shape, std::uint64_t first,
                                     std::uint64_t count) {
  std::vector<PartLayout> pieces;
  while (count != 0) {
    const std::uint64_t row = first / shape.columns;
    const std::uint64_t column = first % shape.columns;
    const std::uint64_t rows = column == 0 ? count / shape.columns : 0;
    const std::uint64_t columns =
        rows != 0 ? shape.columns : std::min(count, shape.columns - column);
    pieces.push_back({row, std::max<std::uint64_t>(rows, 1), column, columns});
    first += pieces.back().rowCount * columns;
    count -= pieces.back().rowCount * columns;
  }
  return pieces;
}

/// What a rectangle of a part sees of the part's view.
PartView viewOf(PartView view, const PartShape& part, const PartLayout& piece) {
  view.stride = Rectangle(view, part).stride;
  const std::uint64_t words = view.transposed ? piece.firstColumn * view.stride + piece.firstRow
                                              : piece.firstRow * view.stride + piece.firstColumn;
  view.offset += words * wordFormat(view.type).bytes;
  return view;
}

/// Copies a rectangle of `rows` x `columns` words, transposed or not.
void copyRectangle(const std::byte* from, std::uint64_t stride, std::uint64_t rows,
                   std::uint64_t columns, std::size_t bytes, bool transposed, std::byte* to,
                   std::uint64_t toStride) {
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
  const Rectangle of(view, shape);
  const std::size_t bytes = shape.word.bytes;
  std::vector<std::byte> piece(of.wordsOf(of.rowsAtOnce()) * bytes);
  for (std::uint64_t row = 0; row < of.rows; row += of.rowsAtOnce()) {
    const std::uint64_t n = std::min(of.rowsAtOnce(), of.rows - row);
    const auto part = std::span(piece).first(of.wordsOf(n) * bytes);
    STRATA_TRY(readWords(source, view, of.offsetOf(row), type, part));
    std::byte* to = out.data() + (view.transposed ? row : row * shape.columns) * bytes;
    copyRectangle(part.data(), of.stride, n, of.columns, bytes, view.transposed, to, shape.columns);
  }
  return {};
}

Result<void> gatherWords(const ByteSource& source, const PartView& view, const PartShape& shape,
                         ElementType type, std::uint64_t first, std::span<std::byte> out) {
  if (isContiguous(view, shape)) return readContiguous(source, view, first, type, out);
  const std::size_t bytes = shape.word.bytes;
  for (const PartLayout& piece : rectanglesOf(shape, first, out.size() / bytes)) {
    const PartShape its{shape.word, piece.rowCount, piece.columnCount};
    STRATA_TRY(
        gatherView(source, viewOf(view, shape, piece), its, type, out.first(its.byteCount())));
    out = out.subspan(its.byteCount());
  }
  return {};
}

void eachReading(const PartView& view, const PartShape& shape, std::uint64_t first,
                 std::uint64_t count, const std::function<bool(const ByteRun&)>& visit) {
  const std::size_t bytes = wordFormat(view.type).bytes;
  if (isContiguous(view, shape)) {
    visit({view.offset + first * bytes, count * bytes});
    return;
  }
  for (const PartLayout& piece : rectanglesOf(shape, first, count)) {
    const PartShape its{shape.word, piece.rowCount, piece.columnCount};
    const PartView seen = viewOf(view, shape, piece);
    if (isContiguous(seen, its)) {
      if (!visit({seen.offset, its.wordCount() * bytes})) return;
      continue;
    }
    const Rectangle of(seen, its);
    for (std::uint64_t row = 0; row < of.rows; row += of.rowsAtOnce()) {
      const std::uint64_t n = std::min(of.rowsAtOnce(), of.rows - row);
      if (!visit({of.offsetOf(row), of.wordsOf(n) * bytes})) return;
    }
  }
}

void eachPartIn(const TensorLayout& layout, std::uint64_t offset, std::uint64_t byteCount,
                const std::function<bool(const PartRun&)>& visit) {
  const std::uint64_t word = wordFormat(layout.type).bytes;
  const std::uint64_t rowBytes = layout.matrix.columns * word;
  const std::uint64_t end = offset + byteCount;
  const auto first = std::partition_point(
      layout.parts.begin(), layout.parts.end(),
      [&](const PartLayout& part) { return (part.firstRow + part.rowCount) * rowBytes <= offset; });
  for (auto it = first; it != layout.parts.end() && it->firstRow * rowBytes < end; ++it) {
    const PartLayout& part = *it;
    const std::uint64_t left = part.firstColumn * word;
    const std::uint64_t width = part.columnCount * word;
    const std::uint64_t top = part.firstRow * rowBytes;
    // Bytes of the part before byte `at` of the tensor.
    const auto before = [&](std::uint64_t at) {
      const std::uint64_t in = std::clamp(at, top, top + part.rowCount * rowBytes) - top;
      const std::uint64_t column = in % rowBytes;
      return in / rowBytes * width + std::clamp(column, left, left + width) - left;
    };
    const std::uint64_t from = before(offset);
    const std::uint64_t to = before(end);
    const auto index = static_cast<std::uint32_t>(it - layout.parts.begin());
    if (from < to && !visit({index, from, to - from})) return;
  }
}

}  // namespace strata
