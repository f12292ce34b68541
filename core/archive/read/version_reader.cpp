#include "core/archive/read/version_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/archive/detail/reader_state.h"
#include "core/archive/skeleton.h"
#include "core/checked_math.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/exact/table_set.h"
#include "core/float_environment.h"

namespace strata {
namespace {

/// The block size that the encoder probably took, without opening the payload: large where few
/// bytes code many words.
unsigned probableBlockLog2(const ManifestPart& part, const PartShape& shape) {
  unsigned log2 = kMinBlockLog2;
  if (!part.section) return log2;
  const std::uint64_t bytes = part.section->byteCount;
  while (log2 < kMaxBlockLog2 && (bytes << log2) / shape.wordCount() < kGoodBlockBytes) ++log2;
  return log2;
}

std::vector<std::vector<Segment>> segmentsOf(const Manifest& manifest,
                                             const StoredTensors& tensors) {
  std::vector<std::vector<Segment>> files(manifest.files.size());
  std::vector<std::uint64_t> ends(files.size(), 0);
  std::vector<std::uint64_t> skeletons(files.size(), 0);
  const auto addSkeleton = [&](std::size_t file, std::uint64_t until) {
    const std::uint64_t count = until - ends[file];
    if (count != 0) files[file].push_back({ends[file], count, std::nullopt, skeletons[file]});
    skeletons[file] += count;
    ends[file] = until;
  };
  for (std::size_t t = 0; t < manifest.tensors.size(); ++t) {
    const StoredTensors::Held tensor = tensors[t];
    const std::size_t file = tensor->info.file;
    const std::uint64_t offset = tensor->info.offset;
    addSkeleton(file, offset);
    const std::uint64_t count = tensor->layout.byteCount;
    files[file].push_back({offset, count, static_cast<std::uint32_t>(t), 0});
    ends[file] = offset + count;
  }
  for (std::size_t f = 0; f < files.size(); ++f) addSkeleton(f, manifest.files[f].byteCount);
  return files;
}

}  // namespace

tl::unexpected<Error> VersionReader::State::damaged(const PackSection& section,
                                                    const Error& error) const {
  // What cannot be read came as zeros, and whatever was made of them is not the cause.
  const bool isUnreadable = packs[section.pack].hasFailed();
  Error named = isUnreadable ? Error{ErrorCode::CorruptData, std::string(kUnreadable)} : error;
  named = named.within("pack " + toHex(manifest.packs[section.pack]));
  named.message += "; adding its model again from the file repairs it";
  return fail(std::move(named));
}

tl::unexpected<Error> VersionReader::State::inTensor(std::uint32_t tensor,
                                                     const Error& error) const {
  const std::string name = "tensor " + std::string(manifest.tensors.nameOf(tensor));
  // The parent's tensor may have the same name, and be named already.
  return fail(error.message.starts_with(name + ": ") ? error : error.within(name));
}

Result<void> VersionReader::State::openTables() {
  for (const PackSection& section : manifest.tables) {
    ByteReader in(payload(section));
    const std::size_t alphabet = in.byte();
    if (in.failed() || (alphabet != 64 && alphabet != 128)) {
      return damaged(section, {ErrorCode::CorruptData, "alphabet of shared tables is damaged"});
    }
    auto set = readTableSet(in, alphabet);
    if (!set) return damaged(section, set.error());
    if (!in.rest().empty()) {
      return damaged(section, {ErrorCode::CorruptData, "bytes follow a set of shared tables"});
    }
    tables.push_back(std::make_shared<const TableSet>(*std::move(set)));
  }
  return {};
}

Result<Skeleton> VersionReader::State::openSkeleton(std::size_t file) {
  return skeletons.get(file, [&] { return decodeSkeleton(file); });
}

/// Without keeping it: a child that is coded against it needs it for a moment.
Result<std::vector<std::byte>> VersionReader::State::skeletonOnce(std::size_t file) {
  if (const Skeleton held = skeletons.find(file)) return *held;
  return decodeSkeleton(file);
}

Result<void> VersionReader::State::readSkeleton(std::size_t file, std::uint64_t offset,
                                                std::span<std::byte> out) {
  STRATA_TRY(const Skeleton skeleton, openSkeleton(file));
  std::memcpy(out.data(), skeleton->data() + offset, out.size());
  return {};
}

Result<std::vector<std::byte>> VersionReader::State::decodeSkeleton(std::size_t file) {
  const ManifestFile& stored = manifest.files[file];
  std::vector<std::byte> dictionary;
  if (stored.skeletonParent) {
    const std::size_t other = *stored.skeletonParent;
    if (parent == nullptr || other >= parent->state_->files.size()) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("file {}: its skeleton's parent is missing", stored.path));
    }
    STRATA_TRY(dictionary, parent->state_->skeletonOnce(other));
  }
  const auto stream = stored.skeleton ? payload(*stored.skeleton) : std::span<const std::byte>{};
  auto decoded = strata::decodeSkeleton(stored, stream, dictionary);
  if (decoded) return decoded;
  const Error error = decoded.error().within("file " + stored.path);
  if (stored.skeleton) return damaged(*stored.skeleton, error);
  return fail(error);
}

Result<std::shared_ptr<const VersionReader>> VersionReader::open(
    Manifest manifest, std::shared_ptr<const VersionReader> parent, const ObjectReader& objects) {
  auto state = std::make_unique<State>();
  const std::optional<Digest>& wanted = manifest.parentDigest;
  const auto found = parent ? std::optional(parent->manifest().contentDigest) : std::nullopt;
  if (found != wanted) {
    return fail(ErrorCode::BaseMismatch,
                fmt::format("needs parent {}, found {}", wanted ? toHex(*wanted) : "none",
                            found ? toHex(*found) : "none"));
  }
  state->manifest = std::move(manifest);
  STRATA_TRY(state->tensors, StoredTensors::make(state->manifest.tensors));
  state->files = segmentsOf(state->manifest, state->tensors);
  state->parent = std::move(parent);
  STRATA_TRY(state->openPacks(objects));
  STRATA_TRY(state->checkSections());
  STRATA_TRY(state->checkViews());
  STRATA_TRY(state->checkOwnSources());
  STRATA_TRY(state->openTables());
  return std::shared_ptr<const VersionReader>(new VersionReader(std::move(state)));
}

VersionReader::VersionReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
VersionReader::~VersionReader() = default;

const Manifest& VersionReader::manifest() const noexcept { return state_->manifest; }
const VersionReader* VersionReader::parent() const noexcept { return state_->parent.get(); }
std::span<const std::byte> VersionReader::payload(const PackSection& section) const noexcept {
  return state_->payload(section);
}
Result<std::uint64_t> VersionReader::blockReadsOf(std::uint32_t file, std::uint64_t offset,
                                                  std::uint64_t byteCount) const {
  const DefaultFloatEnvironment environment;  // parts that are opened stay open
  return state_->blockReadsOf(file, {offset, byteCount});
}
std::uint64_t VersionReader::decodedBlocks() const noexcept {
  return state_->decodedBlocks.load(std::memory_order_relaxed);
}

Result<void> VersionReader::read(std::size_t file, std::uint64_t offset,
                                 std::span<std::byte> out) const {
  const DefaultFloatEnvironment environment;
  return state_->read(file, offset, out);
}

Result<void> VersionReader::State::read(std::size_t file, std::uint64_t offset,
                                        std::span<std::byte> out) {
  if (file >= files.size() ||
      !rangeFits<std::uint64_t>(offset, out.size(), manifest.files[file].byteCount)) {
    return fail(ErrorCode::InvalidArgument, "range lies outside of the file");
  }
  RangeWalk walk(files[file], tensors, offset, out.size());
  while (const std::optional<Stretch> stretch = walk.next()) {
    STRATA_TRY(readStretch(file, *stretch, out.first(stretch->byteCount)));
    out = out.subspan(stretch->byteCount);
  }
  return {};
}

Result<std::vector<std::byte>> VersionReader::skeleton(std::size_t file) const {
  return state_->skeletonOnce(file);
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
    const StoredTensors::Held held = state_->tensors[*segment.tensor];
    const TensorLayout& layout = held->layout;
    const std::uint64_t word = wordFormat(layout.type).bytes;
    for (std::size_t p = 0; p < layout.parts.size(); ++p) {
      const PartLayout& part = layout.parts[p];
      if (part.firstColumn != 0) continue;
      const std::uint64_t block = word
                                  << probableBlockLog2(held->info.parts[p], layout.shapeOf(part));
      const std::uint64_t start = segment.offset + part.firstRow * layout.matrix.columns * word;
      const std::uint64_t end = start + part.rowCount * layout.matrix.columns * word;
      for (std::uint64_t at = start; at < end; at += block)
        cutBefore(at, std::min(end, at + block));
    }
  }
  const std::uint64_t size = manifest().files[file].byteCount;
  if (size > cuts.back()) cuts.push_back(size);
  return cuts;
}

}  // namespace strata
