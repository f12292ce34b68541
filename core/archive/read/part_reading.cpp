#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/archive/detail/reader_state.h"
#include "core/checked_math.h"
#include "core/codec/words/word_buffer.h"

namespace strata {

ByteSource VersionReader::State::sourceOf(const PartView& view) {
  State* const reader = view.own ? this : parent->state_.get();
  return [reader](std::uint32_t file, std::uint64_t offset, std::span<std::byte> out) {
    return reader->read(file, offset, out);
  };
}

namespace {

/// Transposed parts whose words are gathered together: their rows are columns there, so each alone
/// would have the parent's tensor decoded from end to end.
constexpr std::uint32_t kGatheredParts = 4;

/// Whether `b` goes on in the parent where `a` of so many rows ends, to its right.
bool goesOn(const ManifestPart& a, std::uint64_t rows, const ManifestPart& b) {
  if (!a.view || !b.view || !a.view->transposed || a.view->stride == 0) return false;
  PartView next = *a.view;
  next.offset += rows * wordFormat(next.type).bytes;
  return *b.view == next;
}

}  // namespace

/// Gathers the parent words of a part, together with those of its neighbours where that costs the
/// parent no more.
Result<void> VersionReader::State::gatherParent(std::uint32_t tensor, std::uint32_t part,
                                                OpenPart& opened) {
  const TensorLayout& layout = tensors[tensor];
  const ManifestTensor& stored = manifest.tensors[tensor];
  const auto follows = [&](std::uint32_t p) {
    const PartLayout& a = layout.parts[p - 1];
    const PartLayout& b = layout.parts[p];
    return layout.isFullWidth(a) && layout.isFullWidth(b) &&
           goesOn(stored.parts[p - 1], a.rowCount, stored.parts[p]);
  };
  // Groups begin at multiples of their size, so all parts of one agree on it.
  std::uint32_t first = part - part % kGatheredParts;
  for (std::uint32_t p = first + 1; p <= part; ++p) {
    if (!follows(p)) first = p;
  }
  std::uint32_t end = first + 1;
  PartShape shape = layout.shapeOf(layout.parts[first]);
  std::uint64_t rowsBefore = 0;
  for (; end < layout.parts.size() && end % kGatheredParts != 0 && follows(end); ++end) {
    if ((shape.rows + layout.parts[end].rowCount) * shape.columns > kMostPartWords) break;
    if (end <= part) rowsBefore = shape.rows;
    shape.rows += layout.parts[end].rowCount;
  }
  if (end <= part) {  // too large together
    first = part;
    rowsBefore = 0;
    shape = opened.shape;
  }
  const PartView& view = *stored.parts[first].view;
  OpenSource& source = opened.sources.front();
  STRATA_TRY(
      source.group,
      gathered.get(std::uint64_t{tensor} << 32 | first, [&]() -> Result<std::vector<std::byte>> {
        std::vector<std::byte> words(shape.byteCount());
        STRATA_TRY(gatherView(sourceOf(view), view, shape, layout.type, words));
        return words;
      }));
  source.gathered =
      std::span(*source.group)
          .subspan(rowsBefore * shape.columns * shape.word.bytes, opened.shape.byteCount());
  return {};
}

/// A view without its words; of one that is not contiguous all are gathered.
Result<OpenSource> VersionReader::State::openSource(const PartView& view, const PartShape& shape,
                                                    ElementType type) {
  OpenSource source{.view = view};
  if (isContiguous(view, shape)) return source;
  std::vector<std::byte> words(shape.byteCount());
  STRATA_TRY(gatherView(sourceOf(view), view, shape, type, words));
  source.group = std::make_shared<const std::vector<std::byte>>(std::move(words));
  source.gathered = *source.group;
  return source;
}

Result<std::shared_ptr<OpenPart>> VersionReader::State::openPart(std::uint32_t tensor,
                                                                 std::uint32_t part) {
  const auto open = [&]() -> Result<std::shared_ptr<OpenPart>> {
    const TensorLayout& layout = tensors[tensor];
    const ManifestPart& stored = manifest.tensors[tensor].parts[part];
    auto opened = std::make_shared<OpenPart>();
    opened->shape = layout.shapeOf(layout.parts[part]);
    opened->codec = stored.codec;
    if (stored.view) {
      opened->sources.push_back({.view = *stored.view});
      if (!isContiguous(*stored.view, opened->shape)) {
        STRATA_TRY(gatherParent(tensor, part, *opened));
      }
    }
    for (const PartView& view : stored.furtherViews.view()) {
      STRATA_TRY(OpenSource source, openSource(view, opened->shape, layout.type));
      opened->sources.push_back(std::move(source));
    }
    if (opened->codec != CodecId::Same) {
      opened->section = &*stored.section;
      auto decoder = strata::openPart(opened->codec, opened->shape, payload(*stored.section),
                                      opened->sources.size(), tables);
      if (!decoder) return damaged(*stored.section, decoder.error());
      opened->decoder = *std::move(decoder);
    }
    return opened;
  };
  return parts.get(std::uint64_t{tensor} << 32 | part, open);
}

/// Words of one of a part's sources, from the part's word `first` on.
Result<void> VersionReader::State::sourceWords(const OpenPart& part, std::size_t source,
                                               ElementType type, std::uint64_t first,
                                               std::span<std::byte> out) {
  const OpenSource& from = part.sources[source];
  if (from.gathered.empty()) {
    return readContiguous(sourceOf(from.view), from.view, first, type, out);
  }
  std::memcpy(out.data(), from.gathered.data() + first * part.shape.word.bytes, out.size());
  return {};
}

Result<void> VersionReader::State::decodeBlock(const OpenPart& part, ElementType type,
                                               std::uint64_t block, std::span<std::byte> out) {
  // Of the thread, for each link of a chain that it is in.
  std::array<std::optional<LentBuffer<std::byte>>, kMostPartSources> buffers;
  std::array<std::span<const std::byte>, kMostPartSources> words;
  const std::size_t count = part.sources.size();
  for (std::size_t s = 0; s < count; ++s) {
    const std::span<std::byte> room = (*buffers[s].emplace()).first(out.size());
    STRATA_TRY(sourceWords(part, s, type, block * part.decoder->blockWords(), room));
    words[s] = room;
  }
  const std::span<const std::span<const std::byte>> all(words.data(), count);
  const Result<void> decoded = part.decoder->decodeBlock(block, BlockSources::of(all), out);
  if (!decoded) return damaged(*part.section, decoded.error());
  return {};
}

/// A whole block of a part. Of versions in which several blocks are predicted from one, it is kept
/// for the others.
Result<void> VersionReader::State::readBlock(std::uint32_t tensor, std::uint32_t index,
                                             const OpenPart& part, std::uint64_t block,
                                             std::span<std::byte> out) {
  const ElementType type = tensors[tensor].type;
  if (!keepsBlocks.load(std::memory_order_relaxed) || out.size() > kMostKeptBlockBytes) {
    return decodeBlock(part, type, block, out);
  }
  using Words = std::shared_ptr<const std::vector<std::byte>>;
  const std::pair key(std::uint64_t{tensor} << 32 | index, block);
  STRATA_TRY(const Words kept, blocks.get(key, [&]() -> Result<Words> {
    std::vector<std::byte> words(out.size());
    STRATA_TRY(decodeBlock(part, type, block, words));
    return std::make_shared<const std::vector<std::byte>>(std::move(words));
  }));
  std::memcpy(out.data(), kept->data(), out.size());
  return {};
}

/// Words of a part from `offset` bytes on. Blocks that are wanted whole go straight to `out`; of
/// the others the last one is kept.
Result<void> VersionReader::State::readPart(std::uint32_t tensor, std::uint32_t index,
                                            std::uint64_t offset, std::span<std::byte> out) {
  STRATA_TRY(const auto part, openPart(tensor, index));
  const ElementType type = tensors[tensor].type;
  if (part->codec == CodecId::Same) return readSame(*part, type, offset, out);
  const std::uint64_t blockBytes = part->decoder->blockWords() * part->shape.word.bytes;
  while (!out.empty()) {
    const std::uint64_t block = offset / blockBytes;
    const std::uint64_t start = block * blockBytes;
    const std::uint64_t size = std::min(blockBytes, part->shape.byteCount() - start);
    const std::uint64_t skip = offset - start;
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(size - skip, out.size()));
    if (n == size) {
      STRATA_TRY(readBlock(tensor, index, *part, block, out.first(n)));
    } else {
      const std::lock_guard lock(part->mutex);
      if (part->cachedBlock != block) {
        part->cachedBlock = ~std::uint64_t{0};
        part->cached.resize(size);
        STRATA_TRY(decodeBlock(*part, type, block, part->cached));
        part->cachedBlock = block;
      }
      std::memcpy(out.data(), part->cached.data() + skip, n);
    }
    offset += n;
    out = out.subspan(n);
  }
  return {};
}

Result<void> VersionReader::State::readSame(const OpenPart& part, ElementType type,
                                            std::uint64_t offset, std::span<std::byte> out) {
  const std::size_t bytes = part.shape.word.bytes;
  const std::uint64_t first = offset / bytes;
  const std::uint64_t skip = offset - first * bytes;
  if (skip == 0 && out.size() % bytes == 0) return sourceWords(part, 0, type, first, out);
  std::vector<std::byte> words(ceilDivide<std::uint64_t>(skip + out.size(), bytes) * bytes);
  STRATA_TRY(sourceWords(part, 0, type, first, words));
  std::memcpy(out.data(), words.data() + skip, out.size());
  return {};
}

/// Bytes of a band of rows whose parts [firstPart, endPart) stand side by side. Part after part, so
/// that each is opened once.
Result<void> VersionReader::State::readBand(std::uint32_t tensor, std::uint32_t firstPart,
                                            std::uint32_t endPart, std::uint64_t offset,
                                            std::span<std::byte> out) {
  const TensorLayout& layout = tensors[tensor];
  const std::size_t word = wordFormat(layout.type).bytes;
  const std::uint64_t rowBytes = layout.matrix.columns * word;
  const std::uint64_t end = offset + out.size();
  for (std::uint32_t p = firstPart; p < endPart; ++p) {
    const PartLayout& part = layout.parts[p];
    const std::uint64_t width = part.columnCount * word;
    for (std::uint64_t row = offset / rowBytes; row * rowBytes < end; ++row) {
      const std::uint64_t left = row * rowBytes + part.firstColumn * word;
      const std::uint64_t from = std::max(left, offset);
      const std::uint64_t to = std::min(left + width, end);
      if (from >= to) continue;
      const std::uint64_t inPart = (row - part.firstRow) * width + (from - left);
      STRATA_TRY(readPart(tensor, p, inPart, out.subspan(from - offset, to - from)));
    }
  }
  return {};
}

Result<void> VersionReader::State::readStretch(std::size_t file, const Stretch& stretch,
                                               std::span<std::byte> out) {
  if (!stretch.tensor) return readSkeleton(file, stretch.offset, out);
  const auto done =
      stretch.isBand()
          ? readBand(*stretch.tensor, stretch.firstPart, stretch.endPart, stretch.offset, out)
          : readPart(*stretch.tensor, stretch.firstPart, stretch.offset, out);
  if (done) return {};
  const std::string name = "tensor " + manifest.tensors[*stretch.tensor].name;
  // The parent's tensor may have the same name, and be named already.
  const bool isNamed = done.error().message.starts_with(name + ": ");
  return fail(isNamed ? done.error() : done.error().within(name));
}

}  // namespace strata
