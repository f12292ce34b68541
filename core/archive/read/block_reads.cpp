#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/archive/detail/reader_state.h"
#include "core/checked_math.h"

namespace strata {

/// Blocks decoded for a range of a file's bytes, one by one. The sum ends above kMostBlockReads.
Result<std::uint64_t> VersionReader::State::blockReadsOf(std::uint32_t file, const ByteRun& run) {
  if (file >= files.size() ||
      !rangeFits(run.offset, run.byteCount, manifest.files[file].byteCount)) {
    return fail(ErrorCode::InvalidArgument, "range lies outside of the file");
  }
  std::uint64_t sum = 0;
  RangeWalk walk(files[file], tensors, run.offset, run.byteCount);
  while (const std::optional<Stretch> stretch =
             sum <= kMostBlockReads ? walk.next() : std::nullopt) {
    if (!stretch->tensor) {
      sum += blockReadsOfSkeleton(file);
      continue;
    }
    const auto counted = blockReadsOfStretch(*stretch);
    if (!counted) return inTensor(*stretch->tensor, counted.error());
    sum += *counted;
  }
  return sum;
}

/// Those of bytes of a part, or of a band of parts. The sum ends above kMostBlockReads.
Result<std::uint64_t> VersionReader::State::blockReadsOfStretch(const Stretch& stretch) {
  const std::uint32_t tensor = *stretch.tensor;
  if (!stretch.isBand()) {
    return blockReadsOfRun(tensor, {stretch.firstPart, stretch.offset, stretch.byteCount});
  }
  std::uint64_t sum = 0;
  Result<void> counted;
  eachPartIn(tensors[tensor]->layout, stretch.offset, stretch.byteCount, [&](const PartRun& part) {
    const auto ofPart = blockReadsOfRun(tensor, part);
    if (!ofPart) {
      counted = fail(ofPart.error());
      return false;
    }
    sum += *ofPart;
    return sum <= kMostBlockReads;
  });
  STRATA_TRY(counted);
  return sum;
}

/// Skeletons are decoded whole, each with its parent's as the dictionary: as many blocks of f32.
std::uint64_t VersionReader::State::blockReadsOfSkeleton(std::size_t file) const noexcept {
  constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 18;
  std::uint64_t versions = 1;
  for (const VersionReader* one = parent.get(); one != nullptr; one = one->parent()) ++versions;
  return versions * (1 + manifest.files[file].skeletonBytes / kBlockBytes);
}

/// Those of bytes of a part.
Result<std::uint64_t> VersionReader::State::blockReadsOfRun(std::uint32_t tensor,
                                                            const PartRun& run) {
  const StoredTensors::Held held = tensors[tensor];
  const TensorLayout& layout = held->layout;
  const ManifestPart& stored = held->info.parts[run.part];
  const PartShape shape = layout.shapeOf(layout.parts[run.part]);
  const std::uint64_t word = shape.word.bytes;
  if (stored.codec != CodecId::Same) {
    STRATA_TRY(const PartBlockReads part, blockReadsOfPart(tensor, run.part));
    const std::uint64_t blockBytes = part.blockWords * word;
    const std::uint64_t last = (run.offset + run.byteCount - 1) / blockBytes;
    return (last - run.offset / blockBytes + 1) * part.reads;
  }
  if (!isContiguous(*stored.view, shape)) {
    const GatheredParts group = gatheredWith(tensor, run.part);
    const PartView& view = *held->info.parts[group.first].view;
    return blockReadsOfView(view, group.shape, 0, group.shape.wordCount());
  }
  const std::uint64_t first = run.offset / word;
  const std::uint64_t end = ceilDivide<std::uint64_t>(run.offset + run.byteCount, word);
  return blockReadsOfView(*stored.view, shape, first, end - first);
}

/// Those of a block of a part with a payload. Its block size stands there, so it is opened, without
/// words that would have to be gathered.
Result<PartBlockReads> VersionReader::State::blockReadsOfPart(std::uint32_t tensor,
                                                              std::uint32_t part) {
  if (const auto known = blockReads.find(tensor, part)) return *known;
  STRATA_TRY(const auto opened,
             isGatheredAtOnce(tensor, part) ? openAlone(tensor, part) : openPart(tensor, part));
  if (const auto known = blockReads.find(tensor, part)) return *known;
  return countBlockReads(tensor, part, *opened);
}

/// Fails with CorruptData above kMostBlockReads.
Result<PartBlockReads> VersionReader::State::countBlockReads(std::uint32_t tensor,
                                                             std::uint32_t part,
                                                             const OpenPart& opened) {
  const std::uint64_t blockWords = opened.decoder->blockWords();
  const std::uint64_t words = opened.shape.wordCount();
  std::uint64_t most = 0;
  const auto take = [&](std::uint64_t below) -> Result<void> {
    most = std::max(most, below);
    if (most < kMostBlockReads) return {};
    return fail(ErrorCode::CorruptData, "too many others have to be read for it");
  };
  const auto& sources = opened.sources;
  if (opened.gathersAtOnce()) {
    const GatheredParts group = gatheredWith(tensor, part);
    const StoredTensors::Held held = tensors[tensor];
    const PartView& view = *held->info.parts[group.first].view;
    STRATA_TRY(const std::uint64_t below,
               blockReadsOfView(view, group.shape, 0, group.shape.wordCount()));
    STRATA_TRY(take(below));
  } else {
    for (std::uint64_t at = 0; at < words; at += blockWords) {
      std::uint64_t sum = 0;
      for (const OpenSource& source : sources) {
        STRATA_TRY(const std::uint64_t below, blockReadsOfView(source.view, opened.shape, at,
                                                               std::min(blockWords, words - at)));
        sum += below;
      }
      STRATA_TRY(take(sum));
    }
  }
  const PartBlockReads counted{static_cast<std::uint32_t>(1 + most),
                               static_cast<std::uint32_t>(blockWords)};
  blockReads.keep(tensor, part, counted);
  return counted;
}

/// Those of `count` words of a view from word `first` of the part on.
Result<std::uint64_t> VersionReader::State::blockReadsOfView(const PartView& view,
                                                             const PartShape& shape,
                                                             std::uint64_t first,
                                                             std::uint64_t count) {
  State& reader = view.own ? *this : *parent->state_;
  std::uint64_t sum = 0;
  Result<void> counted;
  eachReading(view, shape, first, count, [&](const ByteRun& run) {
    const auto below = reader.blockReadsOf(view.file, run);
    if (!below) {
      counted = fail(below.error());
      return false;
    }
    sum += *below;
    return sum <= kMostBlockReads;
  });
  STRATA_TRY(counted);
  return sum;
}

}  // namespace strata
