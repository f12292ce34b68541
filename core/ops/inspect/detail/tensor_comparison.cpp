#include "core/ops/inspect/detail/tensor_comparison.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/progress_meter.h"

namespace strata {
namespace {

/// Words read at once from each side. A multiple of what versions are coded in.
constexpr std::uint64_t kChunkWords = 1 << 20;

/// A rectangle of a link.
struct Chunk {
  std::size_t link = 0;
  PartLayout part;
};

/// Cuts links into rectangles of at most kChunkWords: along the rows of A's words, so that those
/// are decoded once.
std::vector<Chunk> cutLinks(std::span<const TensorLink> links) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const PartLayout& part = links[i].part;
    const bool transposed = links[i].source.transposed;
    const std::uint64_t length = transposed ? part.rowCount : part.columnCount;
    const std::uint64_t along = std::min(length, kChunkWords);
    const std::uint64_t across = std::max<std::uint64_t>(1, kChunkWords / along);
    const std::uint64_t rowStep = transposed ? along : across;
    const std::uint64_t columnStep = transposed ? across : along;
    for (std::uint64_t row = 0; row < part.rowCount; row += rowStep) {
      for (std::uint64_t column = 0; column < part.columnCount; column += columnStep) {
        chunks.push_back({i,
                          {row, std::min(rowStep, part.rowCount - row), column,
                           std::min(columnStep, part.columnCount - column)}});
      }
    }
  }
  return chunks;
}

/// The source of a rectangle of the link's part.
PartView sourceOf(const TensorLink& link, const PartLayout& chunk) {
  PartView view = link.source;
  if (view.stride == 0) view.stride = view.transposed ? link.part.rowCount : link.part.columnCount;
  const std::uint64_t words = view.transposed ? chunk.firstColumn * view.stride + chunk.firstRow
                                              : chunk.firstRow * view.stride + chunk.firstColumn;
  view.offset += words * wordFormat(view.type).bytes;
  return view;
}

/// Where a rectangle of the link's part lies in B.
PartView targetOf(const ViewedTensor& tensor, const TensorLink& link, const PartLayout& chunk) {
  const std::uint64_t stride = matrixOf(tensor).columns;
  const std::uint64_t row = link.part.firstRow + chunk.firstRow;
  const std::uint64_t column = link.part.firstColumn + chunk.firstColumn;
  return {.offset = tensor.offset + (row * stride + column) * wordFormat(tensor.type).bytes,
          .stride = stride,
          .file = static_cast<std::uint32_t>(tensor.file),
          .type = tensor.type};
}

ByteSource readerOf(const ModelView& view, const std::string& label) {
  return [&view, &label](std::uint32_t file, std::uint64_t offset,
                         std::span<std::byte> out) -> Result<void> {
    const auto read = view.read(file, offset, out);
    if (!read) return fail(read.error().within(label));
    return {};
  };
}

Result<void> visitChunk(const ComparedViews& views, const TensorLink& link, const PartLayout& chunk,
                        const LinkVisitor& visit) {
  const ViewedTensor& tensor = views.b.tensors()[link.b];
  const ElementType typeB = tensor.type;
  const bool isOfTwoTypes = !link.isEqual && canCompare(link.source.type, typeB);
  const ElementType typeA = isOfTwoTypes ? link.source.type : typeB;
  const PartShape shapeA{wordFormat(typeA), chunk.rowCount, chunk.columnCount};
  std::vector<std::byte> a(shapeA.byteCount());
  STRATA_TRY(gatherView(readerOf(views.a, views.labelA), sourceOf(link, chunk), shapeA, typeA, a));
  if (link.isEqual) {
    visit({typeA, a}, {typeA, a});
    return {};
  }
  const PartShape shapeB{wordFormat(typeB), chunk.rowCount, chunk.columnCount};
  std::vector<std::byte> b(shapeB.byteCount());
  STRATA_TRY(
      gatherView(readerOf(views.b, views.labelB), targetOf(tensor, link, chunk), shapeB, typeB, b));
  visit({typeA, a}, {typeB, b});
  return {};
}

std::uint64_t byteCountOf(const ModelView& b, const TensorLink& link, const PartLayout& part) {
  return part.rowCount * part.columnCount * wordFormat(b.tensors()[link.b].type).bytes;
}

}  // namespace

void LinkChange::add(const LinkChange& other) noexcept {
  change.add(other.change);
  largest = std::max(largest, other.largest);
}

Result<std::vector<LinkChange>> compareLinks(const ComparedViews& views,
                                             std::span<const TensorLink> links,
                                             const std::stop_token& stop,
                                             const ProgressSink& progress) {
  const std::vector<Chunk> chunks = cutLinks(links);
  std::uint64_t totalBytes = 0;
  for (const Chunk& chunk : chunks) {
    totalBytes += byteCountOf(views.b, links[chunk.link], chunk.part);
  }
  ProgressMeter meter(progress, "comparing", totalBytes);
  std::vector<LinkChange> parts(chunks.size());
  STRATA_TRY(parallelFor(chunks.size(), [&](std::size_t i) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const TensorLink& link = links[chunks[i].link];
    STRATA_TRY(
        visitChunk(views, link, chunks[i].part, [&](const TypedWords& a, const TypedWords& b) {
          parts[i] = {measureChange(a, b), largestDifference(a, b)};
        }));
    meter.add(byteCountOf(views.b, link, chunks[i].part), views.b.tensors()[link.b].name);
    return {};
  }));
  std::vector<LinkChange> changes(links.size());
  // In order, so that sums come out the same for any number of threads.
  for (std::size_t i = 0; i < chunks.size(); ++i) changes[chunks[i].link].add(parts[i]);
  return changes;
}

Result<void> visitLinks(const ComparedViews& views, std::span<const TensorLink> links,
                        const std::stop_token& stop, const LinkVisitor& visit) {
  for (const Chunk& chunk : cutLinks(links)) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(visitChunk(views, links[chunk.link], chunk.part, visit));
  }
  return {};
}

}  // namespace strata
