#include "core/archive/read/range_walk.h"

#include <algorithm>
#include <iterator>

namespace strata {
namespace {

/// What of a tensor gives its bytes from `offset` on: a part or a band, to its end at most. Parts
/// are in order and bands leave no gap.
Stretch stretchOf(const TensorLayout& layout, std::uint64_t offset, std::uint64_t byteCount) {
  const std::uint64_t rowBytes = layout.matrix.columns * wordFormat(layout.type).bytes;
  const auto byRow = [](std::uint64_t row, const PartLayout& part) { return row < part.firstRow; };
  const auto begin = layout.parts.begin();
  const auto end = std::upper_bound(begin, layout.parts.end(), offset / rowBytes, byRow);
  const std::uint64_t firstRow = std::prev(end)->firstRow;
  const auto first = std::partition_point(
      begin, end, [&](const PartLayout& part) { return part.firstRow < firstRow; });
  Stretch out;
  out.firstPart = static_cast<std::uint32_t>(first - begin);
  out.endPart = static_cast<std::uint32_t>(end - begin);
  out.offset = out.isBand() ? offset : offset - firstRow * rowBytes;
  out.byteCount = std::min((firstRow + first->rowCount) * rowBytes - offset, byteCount);
  return out;
}

}  // namespace

RangeWalk::RangeWalk(std::span<const Segment> segments, const StoredTensors& tensors,
                     std::uint64_t offset, std::uint64_t byteCount) noexcept
    : tensors_(tensors), offset_(offset), end_(offset + byteCount) {
  const auto from = std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) {
    return s.offset + s.byteCount <= offset;
  });
  segments_ = segments.subspan(static_cast<std::size_t>(from - segments.begin()));
}

std::optional<Stretch> RangeWalk::next() {
  if (offset_ == end_) return std::nullopt;
  while (segments_.front().offset + segments_.front().byteCount <= offset_) {
    segments_ = segments_.subspan(1);
  }
  const Segment& segment = segments_.front();
  const std::uint64_t skip = offset_ - segment.offset;
  const std::uint64_t byteCount = std::min(segment.byteCount - skip, end_ - offset_);
  Stretch out;
  if (segment.tensor) {
    out = stretchOf(tensors_[*segment.tensor]->layout, skip, byteCount);
    out.tensor = segment.tensor;
  } else {
    out.offset = segment.skeletonOffset + skip;
    out.byteCount = byteCount;
  }
  offset_ += out.byteCount;
  return out;
}

}  // namespace strata
