#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/archive/manifest.h"
#include "core/archive/objects.h"
#include "core/result.h"

namespace strata {

class DevicePlan;

/// Most blocks that reading one of them may decode (docs/FORMAT.md, "Block reads").
inline constexpr std::uint64_t kMostBlockReads = std::uint64_t{1} << 16;

/// Gives the bytes of a stored version's files, decoded on the way, without writing them anywhere.
///
/// A version is read through its parents: what a delta needs of them is decoded where it is needed.
/// Every block is checked against its checksum before it is given out. Safe to use from any thread.
class VersionReader {
 public:
  /// `parent` is the reader of the version whose content digest is `manifest.parentDigest`,
  /// null for a base. `objects` must outlive the reader.
  /// Fails with CorruptData if the manifest breaks docs/FORMAT.md, BaseMismatch if `parent` is
  /// another version than the manifest names, NotFound if a pack is missing.
  static Result<std::shared_ptr<const VersionReader>> open(
      Manifest manifest, std::shared_ptr<const VersionReader> parent, const ObjectReader& objects);

  ~VersionReader();
  VersionReader(const VersionReader&) = delete;
  VersionReader& operator=(const VersionReader&) = delete;

  const Manifest& manifest() const noexcept;
  const VersionReader* parent() const noexcept;

  /// Fills `out` with the bytes of file number `file` from `offset` on. The range must lie in the
  /// file (InvalidArgument). Fails with CorruptData, naming tensor, pack and block; `out` then
  /// holds unspecified values.
  Result<void> read(std::size_t file, std::uint64_t offset, std::span<std::byte> out) const;

  /// The same as work for a device: adds what gives these bytes, from `outputAt` of the batch's
  /// output on, to `plan`. The range lies in the file. Answers the level of the last stage. Blocks
  /// are checked by the device, what the CPU gives at once: fails as read().
  Result<unsigned> plan(std::size_t file, std::uint64_t offset, std::uint64_t byteCount,
                        std::uint64_t outputAt, DevicePlan& plan) const;

  /// What lies in a section of the version's packs, unchecked. `section` is of its manifest.
  std::span<const std::byte> payload(const PackSection& section) const noexcept;

  /// All bytes of a file outside of its tensors, in order. `file` is in range.
  Result<std::vector<std::byte>> skeleton(std::size_t file) const;

  /// Most blocks that are decoded to read this range: its own, and those of all that it is
  /// predicted from, by way of all parents (docs/FORMAT.md, "Block reads"). A sum above
  /// kMostBlockReads is not counted to its end. Fails as read() does.
  Result<std::uint64_t> blockReadsOf(std::uint32_t file, std::uint64_t offset,
                                     std::uint64_t byteCount) const;

  /// Blocks of this version, not of its parents, that were decoded so far.
  std::uint64_t decodedBlocks() const noexcept;

  /// Offsets at which reading a file in pieces costs nothing extra: ascending, from 0 to the file's
  /// size, at most about `pieceBytes` apart where the coding allows it.
  std::vector<std::uint64_t> pieces(std::size_t file, std::uint64_t pieceBytes) const;

 private:
  struct State;
  explicit VersionReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
