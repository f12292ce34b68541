#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
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

/// The part together with its neighbours, where that costs the parent no more.
GatheredParts VersionReader::State::gatheredWith(std::uint32_t tensor, std::uint32_t part) const {
  const StoredTensors::Held held = tensors[tensor];
  const TensorLayout& layout = held->layout;
  const ManifestTensor& stored = held->info;
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
  if (end <= part) return {part, 0, layout.shapeOf(layout.parts[part])};  // too large together
  return {first, rowsBefore, shape};
}

/// Gathers the parent words of a part and of its neighbours.
Result<void> VersionReader::State::gatherParent(std::uint32_t tensor, std::uint32_t part,
                                                OpenPart& opened) {
  const GatheredParts group = gatheredWith(tensor, part);
  const StoredTensors::Held held = tensors[tensor];
  const PartView& view = *held->info.parts[group.first].view;
  const std::uint64_t key = std::uint64_t{tensor} << 32 | group.first;
  OpenSource& source = opened.sources.front();
  STRATA_TRY(source.group, gathered.get(key, [&]() -> Result<std::vector<std::byte>> {
    std::vector<std::byte> words(group.shape.byteCount());
    STRATA_TRY(gatherView(sourceOf(view), view, group.shape, held->info.type, words));
    return words;
  }));
  source.gathered = std::span(*source.group)
                        .subspan(group.rowsBefore * group.shape.columns * group.shape.word.bytes,
                                 opened.shape.byteCount());
  return {};
}

bool VersionReader::State::isGatheredAtOnce(std::uint32_t tensor, std::uint32_t part) const {
  const StoredTensors::Held held = tensors[tensor];
  const TensorLayout& layout = held->layout;
  const ManifestPart& stored = held->info.parts[part];
  return stored.sourceCount() == 1 &&
         !isContiguous(*stored.view, layout.shapeOf(layout.parts[part]));
}

/// A part without gathered words.
Result<std::shared_ptr<OpenPart>> VersionReader::State::openAlone(std::uint32_t tensor,
                                                                  std::uint32_t part) {
  const StoredTensors::Held held = tensors[tensor];
  const TensorLayout& layout = held->layout;
  const ManifestPart& stored = held->info.parts[part];
  auto opened = std::make_shared<OpenPart>();
  opened->type = layout.type;
  opened->shape = layout.shapeOf(layout.parts[part]);
  opened->codec = stored.codec;
  for (std::size_t s = 0; s < stored.sourceCount(); ++s) {
    opened->sources.push_back({.view = stored.source(s)});
  }
  if (opened->codec == CodecId::Same) return opened;
  opened->section = stored.section;
  auto decoder = strata::openPart(opened->codec, opened->shape, payload(*stored.section),
                                  opened->sources.size(), tables);
  if (!decoder) return damaged(*stored.section, decoder.error());
  opened->decoder = *std::move(decoder);
  return opened;
}

/// Where others are predicted from several, a part is not read at all that would take too many.
Result<std::shared_ptr<OpenPart>> VersionReader::State::openPart(std::uint32_t tensor,
                                                                 std::uint32_t part) {
  const auto open = [&]() -> Result<std::shared_ptr<OpenPart>> {
    STRATA_TRY(auto opened, openAlone(tensor, part));
    if (countsBlocks && opened->decoder != nullptr && !blockReads.find(tensor, part)) {
      STRATA_TRY(countBlockReads(tensor, part, *opened));
    }
    if (opened->gathersAtOnce()) {
      STRATA_TRY(gatherParent(tensor, part, *opened));
    }
    return opened;
  };
  return parts.get(std::uint64_t{tensor} << 32 | part, open);
}

/// Words of one of a part's sources, from the part's word `first` on.
Result<void> VersionReader::State::sourceWords(const OpenPart& part, std::size_t source,
                                               std::uint64_t first, std::span<std::byte> out) {
  const OpenSource& from = part.sources[source];
  if (from.gathered.empty()) {
    return gatherWords(sourceOf(from.view), from.view, part.shape, part.type, first, out);
  }
  std::memcpy(out.data(), from.gathered.data() + first * part.shape.word.bytes, out.size());
  return {};
}

Result<void> VersionReader::State::decodeBlock(const OpenPart& part, std::uint64_t block,
                                               std::span<std::byte> out) {
  // Of the thread, for each link of a chain that it is in.
  std::array<std::optional<LentBuffer<std::byte>>, kMostPartSources> buffers;
  std::array<std::span<const std::byte>, kMostPartSources> words;
  const std::size_t count = part.sources.size();
  for (std::size_t s = 0; s < count; ++s) {
    const std::span<std::byte> room = (*buffers[s].emplace()).first(out.size());
    STRATA_TRY(sourceWords(part, s, block * part.decoder->blockWords(), room));
    words[s] = room;
  }
  decodedBlocks.fetch_add(1, std::memory_order_relaxed);
  const std::span<const std::span<const std::byte>> all(words.data(), count);
  const Result<void> decoded = part.decoder->decodeBlock(block, BlockSources::of(all), out);
  if (!decoded) return damaged(*part.section, decoded.error());
  return {};
}

/// Whether a block is kept for others: in versions of which several blocks are predicted from one.
bool VersionReader::State::keepsBlock(std::uint64_t byteCount) const noexcept {
  return keepsBlocks.load(std::memory_order_relaxed) && byteCount <= kMostKeptBlockBytes;
}

Result<KeptBlock> VersionReader::State::keptBlock(std::uint32_t tensor, std::uint32_t index,
                                                  const OpenPart& part, std::uint64_t block,
                                                  std::uint64_t byteCount) {
  const std::pair key(std::uint64_t{tensor} << 32 | index, block);
  return blocks.get(key, [&]() -> Result<KeptBlock> {
    std::vector<std::byte> words(byteCount);
    STRATA_TRY(decodeBlock(part, block, words));
    return std::make_shared<const std::vector<std::byte>>(std::move(words));
  });
}

/// Blocks that are wanted whole go straight to `out`, where they are not kept for others; of those
/// that are not, the last one is kept.
Result<void> VersionReader::State::readBlockPiece(std::uint32_t tensor, std::uint32_t index,
                                                  OpenPart& part, const BlockPiece& piece,
                                                  std::span<std::byte> out) {
  if (keepsBlock(piece.byteCount)) {
    STRATA_TRY(const KeptBlock kept, keptBlock(tensor, index, part, piece.block, piece.byteCount));
    std::memcpy(out.data(), kept->data() + piece.skip, out.size());
    return {};
  }
  if (out.size() == piece.byteCount) return decodeBlock(part, piece.block, out);
  const std::lock_guard lock(part.mutex);
  if (part.cachedBlock != piece.block) {
    part.cachedBlock = ~std::uint64_t{0};
    part.cached.resize(piece.byteCount);
    STRATA_TRY(decodeBlock(part, piece.block, part.cached));
    part.cachedBlock = piece.block;
  }
  std::memcpy(out.data(), part.cached.data() + piece.skip, out.size());
  return {};
}

/// Words of a part from `offset` bytes on.
Result<void> VersionReader::State::readPart(std::uint32_t tensor, std::uint32_t index,
                                            std::uint64_t offset, std::span<std::byte> out) {
  STRATA_TRY(const auto part, openPart(tensor, index));
  return readOpenPart(tensor, index, *part, offset, out);
}

Result<void> VersionReader::State::readOpenPart(std::uint32_t tensor, std::uint32_t index,
                                                OpenPart& part, std::uint64_t offset,
                                                std::span<std::byte> out) {
  if (part.codec == CodecId::Same) return readSame(part, offset, out);
  const std::uint64_t blockBytes = part.decoder->blockWords() * part.shape.word.bytes;
  while (!out.empty()) {
    BlockPiece piece{.block = offset / blockBytes};
    const std::uint64_t start = piece.block * blockBytes;
    piece.byteCount = std::min(blockBytes, part.shape.byteCount() - start);
    piece.skip = offset - start;
    const std::uint64_t left = piece.byteCount - piece.skip;
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, out.size()));
    STRATA_TRY(readBlockPiece(tensor, index, part, piece, out.first(n)));
    offset += n;
    out = out.subspan(n);
  }
  return {};
}

Result<void> VersionReader::State::readSame(const OpenPart& part, std::uint64_t offset,
                                            std::span<std::byte> out) {
  const std::size_t bytes = part.shape.word.bytes;
  const std::uint64_t first = offset / bytes;
  const std::uint64_t skip = offset - first * bytes;
  if (skip == 0 && out.size() % bytes == 0) return sourceWords(part, 0, first, out);
  std::vector<std::byte> words(ceilDivide<std::uint64_t>(skip + out.size(), bytes) * bytes);
  STRATA_TRY(sourceWords(part, 0, first, words));
  std::memcpy(out.data(), words.data() + skip, out.size());
  return {};
}

/// Bytes of a band of rows whose parts [firstPart, endPart) stand side by side. Part after part, so
/// that each is opened once.
Result<void> VersionReader::State::readBand(std::uint32_t tensor, std::uint32_t firstPart,
                                            std::uint32_t endPart, std::uint64_t offset,
                                            std::span<std::byte> out) {
  const StoredTensors::Held held = tensors[tensor];
  const TensorLayout& layout = held->layout;
  const std::size_t word = wordFormat(layout.type).bytes;
  const std::uint64_t rowBytes = layout.matrix.columns * word;
  const std::uint64_t end = offset + out.size();
  for (std::uint32_t p = firstPart; p < endPart; ++p) {
    const PartLayout& part = layout.parts[p];
    std::shared_ptr<OpenPart> opened;
    const std::uint64_t width = part.columnCount * word;
    for (std::uint64_t row = offset / rowBytes; row * rowBytes < end; ++row) {
      const std::uint64_t left = row * rowBytes + part.firstColumn * word;
      const std::uint64_t from = std::max(left, offset);
      const std::uint64_t to = std::min(left + width, end);
      if (from >= to) continue;
      const std::uint64_t inPart = (row - part.firstRow) * width + (from - left);
      if (opened == nullptr) {
        STRATA_TRY(opened, openPart(tensor, p));
      }
      STRATA_TRY(readOpenPart(tensor, p, *opened, inPart, out.subspan(from - offset, to - from)));
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
  if (!done) return inTensor(*stretch.tensor, done.error());
  return {};
}

}  // namespace strata
