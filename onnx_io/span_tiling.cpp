#include "onnx_io/span_tiling.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "onnx_io/tensor_span.h"

namespace strata {
namespace {

constexpr std::uint64_t kMinSkeletonGap = 4096;

/// Appends an opaque span in pieces of at most kMaxOpaqueBytes: `name`, `name#2` …
void appendPieces(std::vector<TensorInfo>& out, const TensorInfo& whole) {
  for (std::uint64_t done = 0; done < whole.byteCount; done += kMaxOpaqueBytes) {
    const std::uint64_t index = done / kMaxOpaqueBytes;
    TensorInfo piece = whole;
    piece.name = index == 0 ? whole.name : fmt::format("{}#{}", whole.name, index + 1);
    piece.offset += done;
    piece.byteCount = std::min(kMaxOpaqueBytes, whole.byteCount - done);
    piece.shape = {piece.byteCount};
    out.push_back(std::move(piece));
  }
}

/// Takes from a span what lies before `end`; what is left has lost its type.
void cutFront(TensorInfo& span, std::uint64_t end) {
  if (span.offset >= end) return;
  const std::uint64_t lost = std::min(end - span.offset, span.byteCount);
  span.name += "#2";
  span.type = ElementType::Bytes;
  span.offset += lost;
  span.byteCount -= lost;
  span.shape = {span.byteCount};
}

/// The stretches of one file that no span covers.
std::vector<ByteRange> gapsBetween(std::span<const TensorInfo> spans, std::uint64_t fileBytes) {
  std::vector<ByteRange> gaps;
  std::uint64_t end = 0;
  for (const TensorInfo& span : spans) {
    if (span.offset > end) gaps.push_back({end, span.offset - end});
    end = span.offset + span.byteCount;
  }
  if (end < fileBytes) gaps.push_back({end, fileBytes - end});
  return gaps;
}

/// Largest gap that stays in the skeleton, so that the skeleton as a whole stays small.
std::uint64_t largestKeptGap(const std::vector<ByteRange>& gaps) {
  std::uint64_t limit = kMaxSkeletonGap;
  while (limit > kMinSkeletonGap) {
    std::uint64_t kept = 0;
    for (const ByteRange& gap : gaps) kept += gap.byteCount <= limit ? gap.byteCount : 0;
    if (kept <= kWantedSkeletonBytes) break;
    limit /= 4;
  }
  return limit;
}

void appendGap(std::vector<TensorInfo>& out, const ModelFile& file, std::uint32_t number,
               ByteRange gap) {
  while (gap.byteCount > 0) {
    const std::uint64_t byteCount = std::min(kMaxOpaqueBytes, gap.byteCount);
    out.push_back(
        opaqueSpan(fmt::format("{}@{}", file.path, gap.offset), number, {gap.offset, byteCount}));
    gap = {gap.offset + byteCount, gap.byteCount - byteCount};
  }
}

bool isLongOpaque(const TensorInfo& span) noexcept {
  return span.type == ElementType::Bytes && span.byteCount > kMaxOpaqueBytes;
}

/// Whether the spans of a file are what they are to be, as most are.
bool areTiles(std::span<const TensorInfo> spans) noexcept {
  std::uint64_t end = 0;
  return std::ranges::all_of(spans, [&](const TensorInfo& span) {
    const bool isTile = span.offset >= end && span.byteCount != 0 && !isLongOpaque(span);
    end = span.offset + span.byteCount;
    return isTile;
  });
}

/// The spans of a file without what overlaps, long opaque ones in pieces.
std::vector<TensorInfo> cutSpans(std::span<TensorInfo> spans) {
  std::vector<TensorInfo> kept;
  std::uint64_t end = 0;
  for (TensorInfo& span : spans) {
    cutFront(span, end);
    if (span.byteCount == 0) continue;
    end = span.offset + span.byteCount;
    if (isLongOpaque(span)) {
      appendPieces(kept, span);
    } else {
      kept.push_back(std::move(span));
    }
  }
  return kept;
}

void tileFile(std::vector<TensorInfo>& out, std::span<TensorInfo> spans, const ModelFile& file,
              std::uint32_t number) {
  std::vector<TensorInfo> cut;
  std::span<TensorInfo> kept = spans;
  if (!areTiles(spans)) {
    cut = cutSpans(spans);
    kept = cut;
  }
  const auto gaps = gapsBetween(kept, file.bytes.size());
  const std::uint64_t limit = largestKeptGap(gaps);
  auto next = kept.begin();
  for (const ByteRange& gap : gaps) {
    while (next != kept.end() && next->offset < gap.offset) out.push_back(std::move(*next++));
    if (gap.byteCount > limit) appendGap(out, file, number, gap);
  }
  out.insert(out.end(), std::make_move_iterator(next), std::make_move_iterator(kept.end()));
}

}  // namespace

std::vector<TensorInfo> tileSpans(std::vector<TensorInfo> found,
                                  const std::vector<ModelFile>& files) {
  // Of a million tensors each list takes much memory, that of a stable sort, too.
  const auto isBefore = [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
  };
  if (!std::is_sorted(found.begin(), found.end(), isBefore)) {
    std::stable_sort(found.begin(), found.end(), isBefore);
  }
  std::vector<TensorInfo> out;
  out.reserve(found.size() + files.size());
  auto begin = found.begin();
  for (std::uint32_t number = 0; number < files.size(); ++number) {
    const auto end = std::find_if(begin, found.end(),
                                  [&](const TensorInfo& span) { return span.file != number; });
    tileFile(out, std::span(begin, end), files[number], number);
    begin = end;
  }
  return out;
}

}  // namespace strata
