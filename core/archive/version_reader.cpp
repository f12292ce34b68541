#include "core/archive/version_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/archive/layout.h"
#include "core/archive/pack.h"
#include "core/archive/part_cache.h"
#include "core/archive/skeleton.h"
#include "core/checked_math.h"
#include "core/codec/block_index.h"
#include "core/codec/table_set.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// A run of a file's bytes that come from one place.
struct Segment {
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t byteCount = 0;
  std::optional<std::uint32_t> tensor;  ///< else skeleton bytes …
  std::uint64_t skeletonOffset = 0;     ///< … from here on
};

/// A skeleton, decoded when it is first needed.
struct LazySkeleton {
  std::mutex mutex;  ///< guards the two below
  bool isDecoded = false;
  std::vector<std::byte> bytes;
};

std::size_t openParts() { return 4 + 2 * threadCount(); }

/// The block size that the encoder probably took, without opening the payload: large where few
/// bytes code many words.
unsigned probableBlockLog2(const archive::Part& part, const PartShape& shape) {
  unsigned log2 = kMinBlockLog2;
  if (!part.has_section()) return log2;
  const std::uint64_t bytes = part.section().byte_count();
  while (log2 < kMaxBlockLog2 && (bytes << log2) / shape.wordCount() < kGoodBlockBytes) ++log2;
  return log2;
}

std::vector<std::vector<Segment>> segmentsOf(const Manifest& manifest,
                                             const std::vector<TensorLayout>& tensors) {
  std::vector<std::vector<Segment>> files(static_cast<std::size_t>(manifest.files_size()));
  std::vector<std::uint64_t> ends(files.size(), 0);
  std::vector<std::uint64_t> skeletons(files.size(), 0);
  const auto addSkeleton = [&](std::size_t file, std::uint64_t until) {
    const std::uint64_t count = until - ends[file];
    if (count != 0) files[file].push_back({ends[file], count, std::nullopt, skeletons[file]});
    skeletons[file] += count;
    ends[file] = until;
  };
  for (int t = 0; t < manifest.tensors_size(); ++t) {
    const archive::Tensor& tensor = manifest.tensors(t);
    const std::size_t file = tensor.file();
    addSkeleton(file, tensor.offset());
    const std::uint64_t count = tensors[static_cast<std::size_t>(t)].byteCount;
    files[file].push_back({tensor.offset(), count, static_cast<std::uint32_t>(t), 0});
    ends[file] = tensor.offset() + count;
  }
  for (int f = 0; f < manifest.files_size(); ++f) {
    addSkeleton(static_cast<std::size_t>(f), manifest.files(f).byte_count());
  }
  return files;
}

}  // namespace

struct VersionReader::State {
  Manifest manifest;
  std::shared_ptr<const VersionReader> parent;
  std::vector<MappedFile> packs;
  std::vector<TensorLayout> tensors;
  std::vector<std::vector<Segment>> files;
  SharedTables tables;
  std::vector<std::unique_ptr<LazySkeleton>> skeletons;
  PartCache parts{openParts()};

  std::span<const std::byte> payload(const archive::Section& section) const noexcept {
    return packs[section.pack()].bytes().subspan(section.offset(), section.byte_count());
  }

  Result<void> openPacks(const ObjectReader& objects);
  Result<void> checkSections() const;
  Result<void> checkViews() const;
  bool isPlain(std::uint32_t file, std::uint64_t offset, std::uint64_t byteCount) const;
  Result<void> openTables();

  ByteSource sourceOf(const PartView& view, const VersionReader& self) const;
  Result<std::shared_ptr<OpenPart>> openPart(std::uint32_t tensor, std::uint32_t part,
                                             const VersionReader& self);
  Result<void> parentWords(const OpenPart& part, ElementType type, std::uint64_t first,
                           std::span<std::byte> out, const VersionReader& self) const;
  Result<void> decodeBlock(const OpenPart& part, ElementType type, std::uint64_t block,
                           std::span<std::byte> out, const VersionReader& self) const;
  Result<void> readSame(const OpenPart& part, ElementType type, std::uint64_t offset,
                        std::span<std::byte> out, const VersionReader& self) const;
  Result<void> readPart(std::uint32_t tensor, std::uint32_t part, std::uint64_t offset,
                        std::span<std::byte> out, const VersionReader& self);
  Result<void> readBand(std::uint32_t tensor, std::uint32_t firstPart, std::uint32_t endPart,
                        std::uint64_t offset, std::span<std::byte> out, const VersionReader& self);
  Result<void> readTensor(std::uint32_t tensor, std::uint64_t offset, std::span<std::byte> out,
                          const VersionReader& self);
  Result<void> readSkeleton(std::size_t file, std::uint64_t offset, std::span<std::byte> out);
  Result<std::vector<std::byte>> decodeSkeleton(std::size_t file);
};

Result<void> VersionReader::State::openPacks(const ObjectReader& objects) {
  for (const std::string& pack : manifest.packs()) {
    const Digest digest = *digestFromBytes(pack);
    STRATA_TRY(MappedFile mapped, objects.openObject(digest));
    if (const auto checked = checkPackHeader(mapped.bytes()); !checked) {
      return fail(checked.error().within("pack " + toHex(digest)));
    }
    packs.push_back(std::move(mapped));
  }
  return {};
}

Result<void> VersionReader::State::checkSections() const {
  const auto check = [&](const archive::Section& section) -> Result<void> {
    const std::uint64_t packBytes = packs[section.pack()].bytes().size();
    if (rangeFits(section.offset(), section.byte_count(), packBytes)) return {};
    const Digest digest = *digestFromBytes(manifest.packs(static_cast<int>(section.pack())));
    return fail(ErrorCode::CorruptData,
                fmt::format("pack {} is {} bytes, a section ends at {}", toHex(digest), packBytes,
                            section.offset() + section.byte_count()));
  };
  for (const archive::Section& section : manifest.tables()) STRATA_TRY(check(section));
  for (const archive::File& file : manifest.files()) {
    if (file.has_skeleton()) STRATA_TRY(check(file.skeleton()));
  }
  for (const archive::Tensor& tensor : manifest.tensors()) {
    for (const archive::Part& part : tensor.parts()) {
      if (part.has_section()) STRATA_TRY(check(part.section()));
    }
  }
  return {};
}

/// Whether bytes of this version are coded without own views, so that own views go one step only.
bool VersionReader::State::isPlain(std::uint32_t file, std::uint64_t offset,
                                   std::uint64_t byteCount) const {
  for (const Segment& segment : files[file]) {
    if (segment.offset + segment.byteCount <= offset) continue;
    if (segment.offset >= offset + byteCount) break;
    if (!segment.tensor) continue;
    for (const archive::Part& part : manifest.tensors(static_cast<int>(*segment.tensor)).parts()) {
      if (part.view().own()) return false;
    }
  }
  return true;
}

/// Views lie inside the files they name; an own view ends before its own tensor begins.
Result<void> VersionReader::State::checkViews() const {
  for (int t = 0; t < manifest.tensors_size(); ++t) {
    const archive::Tensor& tensor = manifest.tensors(t);
    const TensorLayout& layout = tensors[static_cast<std::size_t>(t)];
    for (int p = 0; p < tensor.parts_size(); ++p) {
      if (!tensor.parts(p).has_view()) continue;
      STRATA_TRY(const PartView view, viewOf(tensor.parts(p).view(), layout.type));
      const Manifest* source = view.own ? &manifest : parent ? &parent->manifest() : nullptr;
      const auto extent =
          viewExtent(view, layout.shapeOf(layout.parts[static_cast<std::size_t>(p)]));
      const bool inFile =
          source != nullptr && extent &&
          view.file < static_cast<std::uint32_t>(source->files_size()) &&
          rangeFits(view.offset, *extent, source->files(static_cast<int>(view.file)).byte_count());
      const bool isEarlier =
          !view.own || (inFile &&
                        (view.file < tensor.file() || (view.file == tensor.file() &&
                                                       view.offset + *extent <= tensor.offset())) &&
                        isPlain(view.file, view.offset, *extent));
      if (!inFile || !isEarlier) {
        return fail(ErrorCode::CorruptData,
                    fmt::format("tensor {}: its view lies outside of the parent", tensor.name()));
      }
    }
  }
  return {};
}

Result<void> VersionReader::State::openTables() {
  for (const archive::Section& section : manifest.tables()) {
    ByteReader in(payload(section));
    const std::size_t alphabet = in.byte();
    if (in.failed() || (alphabet != 64 && alphabet != 128)) {
      return fail(ErrorCode::CorruptData, "alphabet of shared tables is damaged");
    }
    STRATA_TRY(TableSet set, readTableSet(in, alphabet));
    tables.push_back(std::make_shared<const TableSet>(std::move(set)));
  }
  return {};
}

ByteSource VersionReader::State::sourceOf(const PartView& view, const VersionReader& self) const {
  const VersionReader* reader = view.own ? &self : parent.get();
  return [reader](std::uint32_t file, std::uint64_t offset, std::span<std::byte> out) {
    return reader->read(file, offset, out);
  };
}

Result<std::shared_ptr<OpenPart>> VersionReader::State::openPart(std::uint32_t tensor,
                                                                 std::uint32_t part,
                                                                 const VersionReader& self) {
  const auto open = [&]() -> Result<std::shared_ptr<OpenPart>> {
    const TensorLayout& layout = tensors[tensor];
    const archive::Part& stored =
        manifest.tensors(static_cast<int>(tensor)).parts(static_cast<int>(part));
    auto opened = std::make_shared<OpenPart>();
    opened->shape = layout.shapeOf(layout.parts[part]);
    opened->codec = *codecFromStored(stored.codec());
    opened->hasView = stored.has_view();
    if (opened->hasView) {
      STRATA_TRY(opened->view, viewOf(stored.view(), layout.type));
      if (!isContiguous(opened->view, opened->shape)) {
        opened->gathered.resize(opened->shape.byteCount());
        STRATA_TRY(gatherView(sourceOf(opened->view, self), opened->view, opened->shape,
                              layout.type, opened->gathered));
      }
    }
    if (opened->codec != CodecId::Same) {
      STRATA_TRY(opened->decoder,
                 strata::openPart(opened->codec, opened->shape, payload(stored.section()),
                                  opened->hasView, tables));
    }
    return opened;
  };
  return parts.get(std::uint64_t{tensor} << 32 | part, open);
}

/// Parent words of a part from word `first` on.
Result<void> VersionReader::State::parentWords(const OpenPart& part, ElementType type,
                                               std::uint64_t first, std::span<std::byte> out,
                                               const VersionReader& self) const {
  if (part.gathered.empty()) {
    return readContiguous(sourceOf(part.view, self), part.view, first, type, out);
  }
  std::memcpy(out.data(), part.gathered.data() + first * part.shape.word.bytes, out.size());
  return {};
}

Result<void> VersionReader::State::decodeBlock(const OpenPart& part, ElementType type,
                                               std::uint64_t block, std::span<std::byte> out,
                                               const VersionReader& self) const {
  if (!part.hasView) return part.decoder->decodeBlock(block, {}, out);
  thread_local std::vector<std::vector<std::byte>> free;
  std::vector<std::byte> words;
  if (!free.empty()) {
    words = std::move(free.back());
    free.pop_back();
  }
  words.resize(out.size());
  Result<void> done = parentWords(part, type, block * part.decoder->blockWords(), words, self);
  if (done) done = part.decoder->decodeBlock(block, words, out);
  free.push_back(std::move(words));
  return done;
}

/// Words of a part from `offset` bytes on. Blocks that are wanted whole go straight to `out`; of
/// the others the last one is kept.
Result<void> VersionReader::State::readPart(std::uint32_t tensor, std::uint32_t index,
                                            std::uint64_t offset, std::span<std::byte> out,
                                            const VersionReader& self) {
  STRATA_TRY(const auto part, openPart(tensor, index, self));
  const ElementType type = tensors[tensor].type;
  if (part->codec == CodecId::Same) return readSame(*part, type, offset, out, self);
  const std::uint64_t blockBytes = part->decoder->blockWords() * part->shape.word.bytes;
  while (!out.empty()) {
    const std::uint64_t block = offset / blockBytes;
    const std::uint64_t start = block * blockBytes;
    const std::uint64_t size = std::min(blockBytes, part->shape.byteCount() - start);
    const std::uint64_t skip = offset - start;
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(size - skip, out.size()));
    if (n == size) {
      STRATA_TRY(decodeBlock(*part, type, block, out.first(n), self));
    } else {
      const std::lock_guard lock(part->mutex);
      if (part->cachedBlock != block) {
        part->cachedBlock = ~std::uint64_t{0};
        part->cached.resize(size);
        STRATA_TRY(decodeBlock(*part, type, block, part->cached, self));
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
                                            std::uint64_t offset, std::span<std::byte> out,
                                            const VersionReader& self) const {
  const std::size_t bytes = part.shape.word.bytes;
  const std::uint64_t first = offset / bytes;
  const std::uint64_t skip = offset - first * bytes;
  if (skip == 0 && out.size() % bytes == 0) return parentWords(part, type, first, out, self);
  std::vector<std::byte> words(ceilDivide<std::uint64_t>(skip + out.size(), bytes) * bytes);
  STRATA_TRY(parentWords(part, type, first, words, self));
  std::memcpy(out.data(), words.data() + skip, out.size());
  return {};
}

/// Bytes of a tensor whose parts stand side by side in bands of rows.
Result<void> VersionReader::State::readBand(std::uint32_t tensor, std::uint32_t firstPart,
                                            std::uint32_t endPart, std::uint64_t offset,
                                            std::span<std::byte> out, const VersionReader& self) {
  const TensorLayout& layout = tensors[tensor];
  const std::size_t word = wordFormat(layout.type).bytes;
  const std::uint64_t rowBytes = layout.matrix.columns * word;
  while (!out.empty()) {
    const std::uint64_t row = offset / rowBytes;
    std::uint64_t column = offset % rowBytes;
    for (std::uint32_t p = firstPart; p < endPart && !out.empty(); ++p) {
      const PartLayout& part = layout.parts[p];
      const std::uint64_t left = part.firstColumn * word;
      const std::uint64_t width = part.columnCount * word;
      if (column >= left + width) continue;
      const std::uint64_t inPart = (row - part.firstRow) * width + (column - left);
      const auto n =
          static_cast<std::size_t>(std::min<std::uint64_t>(left + width - column, out.size()));
      STRATA_TRY(readPart(tensor, p, inPart, out.first(n), self));
      out = out.subspan(n);
      offset += n;
      column += n;
    }
  }
  return {};
}

Result<void> VersionReader::State::readTensor(std::uint32_t tensor, std::uint64_t offset,
                                              std::span<std::byte> out, const VersionReader& self) {
  const TensorLayout& layout = tensors[tensor];
  const std::uint64_t rowBytes = layout.matrix.columns * wordFormat(layout.type).bytes;
  for (std::uint32_t p = 0; p < layout.parts.size() && !out.empty();) {
    const PartLayout& part = layout.parts[p];
    std::uint32_t end = p + 1;
    while (end < layout.parts.size() && layout.parts[end].firstRow == part.firstRow) ++end;
    const std::uint64_t start = part.firstRow * rowBytes;
    const std::uint64_t stop = start + part.rowCount * rowBytes;
    if (offset < stop) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(stop - offset, out.size()));
      if (end == p + 1) {
        STRATA_TRY(readPart(tensor, p, offset - start, out.first(n), self));
      } else {
        STRATA_TRY(readBand(tensor, p, end, offset, out.first(n), self));
      }
      offset += n;
      out = out.subspan(n);
    }
    p = end;
  }
  return {};
}

Result<void> VersionReader::State::readSkeleton(std::size_t file, std::uint64_t offset,
                                                std::span<std::byte> out) {
  LazySkeleton& skeleton = *skeletons[file];
  const std::lock_guard lock(skeleton.mutex);
  if (!skeleton.isDecoded) {
    STRATA_TRY(skeleton.bytes, decodeSkeleton(file));
    skeleton.isDecoded = true;
  }
  std::memcpy(out.data(), skeleton.bytes.data() + offset, out.size());
  return {};
}

Result<std::vector<std::byte>> VersionReader::State::decodeSkeleton(std::size_t file) {
  const archive::File& stored = manifest.files(static_cast<int>(file));
  std::vector<std::byte> dictionary;
  if (stored.skeleton_parent() != 0) {
    const std::size_t other = stored.skeleton_parent() - 1;
    if (parent == nullptr || other >= parent->state_->skeletons.size()) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("file {}: its skeleton's parent is missing", stored.path()));
    }
    STRATA_TRY(dictionary, parent->skeleton(other));
  }
  const auto stream =
      stored.has_skeleton() ? payload(stored.skeleton()) : std::span<const std::byte>{};
  auto decoded = strata::decodeSkeleton(stored, stream, dictionary);
  if (!decoded) return fail(decoded.error().within("file " + stored.path()));
  return decoded;
}

Result<std::shared_ptr<const VersionReader>> VersionReader::open(
    Manifest manifest, std::shared_ptr<const VersionReader> parent, const ObjectReader& objects) {
  auto state = std::make_unique<State>();
  const std::string found = parent ? parent->manifest().content_digest() : std::string{};
  if (found != manifest.parent_digest()) {
    const auto wanted = digestFromBytes(manifest.parent_digest());
    return fail(ErrorCode::BaseMismatch,
                fmt::format("needs parent {}, found {}", wanted ? toHex(*wanted) : "none",
                            parent ? toHex(*digestFromBytes(found)) : "none"));
  }
  for (const archive::Tensor& tensor : manifest.tensors()) {
    STRATA_TRY(TensorLayout layout, layoutOf(tensor));
    state->tensors.push_back(std::move(layout));
  }
  state->files = segmentsOf(manifest, state->tensors);
  for (int f = 0; f < manifest.files_size(); ++f) {
    state->skeletons.push_back(std::make_unique<LazySkeleton>());
  }
  state->manifest = std::move(manifest);
  state->parent = std::move(parent);
  STRATA_TRY(state->openPacks(objects));
  STRATA_TRY(state->checkSections());
  STRATA_TRY(state->checkViews());
  STRATA_TRY(state->openTables());
  return std::shared_ptr<const VersionReader>(new VersionReader(std::move(state)));
}

VersionReader::VersionReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
VersionReader::~VersionReader() = default;

const Manifest& VersionReader::manifest() const noexcept { return state_->manifest; }
const VersionReader* VersionReader::parent() const noexcept { return state_->parent.get(); }

Result<void> VersionReader::read(std::size_t file, std::uint64_t offset,
                                 std::span<std::byte> out) const {
  if (file >= state_->files.size() ||
      !rangeFits<std::uint64_t>(offset, out.size(),
                                manifest().files(static_cast<int>(file)).byte_count())) {
    return fail(ErrorCode::InvalidArgument, "range lies outside of the file");
  }
  const auto& segments = state_->files[file];
  auto segment = std::upper_bound(segments.begin(), segments.end(), offset,
                                  [](std::uint64_t at, const Segment& s) { return at < s.offset; });
  if (segment != segments.begin()) --segment;
  for (; !out.empty(); ++segment) {
    const std::uint64_t skip = offset - segment->offset;
    const auto n =
        static_cast<std::size_t>(std::min<std::uint64_t>(segment->byteCount - skip, out.size()));
    if (segment->tensor) {
      const auto done = state_->readTensor(*segment->tensor, skip, out.first(n), *this);
      if (!done) {
        const auto& tensor = manifest().tensors(static_cast<int>(*segment->tensor));
        return fail(done.error().within("tensor " + tensor.name()));
      }
    } else {
      STRATA_TRY(state_->readSkeleton(file, segment->skeletonOffset + skip, out.first(n)));
    }
    offset += n;
    out = out.subspan(n);
  }
  return {};
}

Result<std::vector<std::byte>> VersionReader::skeleton(std::size_t file) const {
  const archive::File& stored = manifest().files(static_cast<int>(file));
  std::vector<std::byte> bytes(stored.skeleton_bytes());
  STRATA_TRY(state_->readSkeleton(file, 0, bytes));
  return bytes;
}

std::vector<std::uint64_t> VersionReader::pieces(std::size_t file, std::uint64_t pieceBytes) const {
  std::vector<std::uint64_t> cuts{0};
  const auto cutBefore = [&](std::uint64_t next, std::uint64_t end) {
    if (end - cuts.back() > pieceBytes && next > cuts.back()) cuts.push_back(next);
  };
  for (const Segment& segment : state_->files[file]) {
    if (!segment.tensor) {
      cutBefore(segment.offset, segment.offset + segment.byteCount);
      continue;
    }
    const TensorLayout& layout = state_->tensors[*segment.tensor];
    const std::uint64_t word = wordFormat(layout.type).bytes;
    const archive::Tensor& tensor = manifest().tensors(static_cast<int>(*segment.tensor));
    for (std::size_t p = 0; p < layout.parts.size(); ++p) {
      const PartLayout& part = layout.parts[p];
      if (part.firstColumn != 0) continue;
      const std::uint64_t block =
          word << probableBlockLog2(tensor.parts(static_cast<int>(p)), layout.shapeOf(part));
      const std::uint64_t start = segment.offset + part.firstRow * layout.matrix.columns * word;
      const std::uint64_t end = start + part.rowCount * layout.matrix.columns * word;
      for (std::uint64_t at = start; at < end; at += block)
        cutBefore(at, std::min(end, at + block));
    }
  }
  const std::uint64_t size = manifest().files(static_cast<int>(file)).byte_count();
  if (size > cuts.back()) cuts.push_back(size);
  return cuts;
}

}  // namespace strata
