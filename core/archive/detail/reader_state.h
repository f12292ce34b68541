#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/read/block_reads.h"
#include "core/archive/read/gather_cache.h"
#include "core/archive/read/part_cache.h"
#include "core/archive/read/range_walk.h"
#include "core/archive/read/skeleton_cache.h"
#include "core/archive/read/stored_tensors.h"
#include "core/archive/read/version_reader.h"
#include "core/parallel.h"

namespace strata {

/// Parts kept open: a few for each thread.
inline std::size_t openPartCount() { return 4 + 2 * threadCount(); }

/// Blocks kept that others are predicted from: weights and both moments for each thread.
inline std::size_t keptBlockCount() { return 3 * (1 + threadCount()); }

/// Larger ones are not kept so: those that others are predicted from are smaller.
inline constexpr std::size_t kMostKeptBlockBytes = std::size_t{1} << 19;

/// Decoded skeletons kept, in sum; one may be larger.
inline constexpr std::uint64_t kHeldSkeletonBytes = std::uint64_t{64} << 20;

/// Parts in a row whose parent words are gathered together.
struct GatheredParts {
  std::uint32_t first = 0;
  std::uint64_t rowsBefore = 0;  ///< of those before the part in question
  PartShape shape;               ///< of all of them
};

/// Some bytes of a block of a part.
struct BlockPiece {
  std::uint64_t block = 0;
  std::uint64_t byteCount = 0;  ///< of the whole block
  std::uint64_t skip = 0;       ///< before the piece
};

/// What a reader holds. The checks of an untrusted manifest stand in version_checks.cpp, the way of
/// a tensor's bytes in part_reading.cpp, that over a device in device_reading.cpp; what reading
/// them takes is counted in block_reads.cpp.
/// Both go through a range as range_walk.h resolves it.
struct VersionReader::State {
  Manifest manifest;
  std::shared_ptr<const VersionReader> parent;
  std::vector<MappedFile> packs;
  StoredTensors tensors;  ///< of the manifest, which stays in its place
  std::vector<std::vector<Segment>> files;
  SharedTables tables;
  SkeletonCache skeletons{kHeldSkeletonBytes};
  PartCache parts{openPartCount()};
  GatherCache gathered;
  bool countsBlocks = false;  ///< before it opens a part: own views may lie anywhere in the version
  BlockReadMemo blockReads;
  std::atomic<std::uint64_t> decodedBlocks = 0;
  /// Whether blocks are wanted for several others, here or by a version that stands on this one.
  std::atomic<bool> keepsBlocks = false;
  BlockCache blocks{keptBlockCount()};

  std::span<const std::byte> payload(const PackSection& section) const noexcept {
    return packs[section.pack].bytes().subspan(section.offset, section.byteCount);
  }

  /// The same error with the pack that the section lies in: what is damaged.
  tl::unexpected<Error> damaged(const PackSection& section, const Error& error) const;

  /// The same error with the tensor's name.
  tl::unexpected<Error> inTensor(std::uint32_t tensor, const Error& error) const;

  Result<void> openPacks(const ObjectReader& objects);
  Result<void> checkSections() const;
  Result<void> checkViews() const;
  Result<void> checkOwnSources();
  Result<std::uint64_t> blockReadsOf(std::uint32_t file, const ByteRun& run);
  std::uint64_t blockReadsOfSkeleton(std::size_t file) const noexcept;
  Result<std::uint64_t> blockReadsOfStretch(const Stretch& stretch);
  Result<std::uint64_t> blockReadsOfRun(std::uint32_t tensor, const PartRun& run);
  Result<PartBlockReads> blockReadsOfPart(std::uint32_t tensor, std::uint32_t part);
  Result<PartBlockReads> countBlockReads(std::uint32_t tensor, std::uint32_t part,
                                         const OpenPart& opened);
  Result<std::uint64_t> blockReadsOfView(const PartView& view, const PartShape& shape,
                                         std::uint64_t first, std::uint64_t count);
  void keepBlocks() noexcept;
  Result<void> openTables();

  ByteSource sourceOf(const PartView& view);
  Result<std::shared_ptr<OpenPart>> openPart(std::uint32_t tensor, std::uint32_t part);
  bool isGatheredAtOnce(std::uint32_t tensor, std::uint32_t part) const;
  Result<std::shared_ptr<OpenPart>> openAlone(std::uint32_t tensor, std::uint32_t part);
  GatheredParts gatheredWith(std::uint32_t tensor, std::uint32_t part) const;
  Result<void> gatherParent(std::uint32_t tensor, std::uint32_t part, OpenPart& opened);
  Result<void> sourceWords(const OpenPart& part, std::size_t source, std::uint64_t first,
                           std::span<std::byte> out);
  Result<void> decodeBlock(const OpenPart& part, std::uint64_t block, std::span<std::byte> out);
  bool keepsBlock(std::uint64_t byteCount) const noexcept;
  Result<KeptBlock> keptBlock(std::uint32_t tensor, std::uint32_t index, const OpenPart& part,
                              std::uint64_t block, std::uint64_t byteCount);
  Result<void> readBlockPiece(std::uint32_t tensor, std::uint32_t index, OpenPart& part,
                              const BlockPiece& piece, std::span<std::byte> out);
  Result<void> readSame(const OpenPart& part, std::uint64_t offset, std::span<std::byte> out);
  Result<void> readPart(std::uint32_t tensor, std::uint32_t part, std::uint64_t offset,
                        std::span<std::byte> out);
  Result<void> readOpenPart(std::uint32_t tensor, std::uint32_t index, OpenPart& part,
                            std::uint64_t offset, std::span<std::byte> out);
  Result<void> readBand(std::uint32_t tensor, std::uint32_t firstPart, std::uint32_t endPart,
                        std::uint64_t offset, std::span<std::byte> out);
  Result<void> readStretch(std::size_t file, const Stretch& stretch, std::span<std::byte> out);
  Result<void> read(std::size_t file, std::uint64_t offset, std::span<std::byte> out);
  Result<unsigned> planParent(const OpenPart& part, std::uint64_t offset, std::uint64_t byteCount,
                              std::uint64_t outputAt, DevicePlan& plan);
  Result<unsigned> planPart(std::uint32_t tensor, std::uint32_t index, std::uint64_t offset,
                            std::uint64_t byteCount, std::uint64_t outputAt, DevicePlan& plan);
  Result<unsigned> planStretch(std::size_t file, const Stretch& stretch, std::uint64_t outputAt,
                               DevicePlan& plan);
  Result<unsigned> plan(std::size_t file, std::uint64_t offset, std::uint64_t byteCount,
                        std::uint64_t outputAt, DevicePlan& plan);
  Result<Skeleton> openSkeleton(std::size_t file);
  Result<void> readSkeleton(std::size_t file, std::uint64_t offset, std::span<std::byte> out);
  Result<std::vector<std::byte>> decodeSkeleton(std::size_t file);
  Result<std::vector<std::byte>> skeletonOnce(std::size_t file);
};

}  // namespace strata
