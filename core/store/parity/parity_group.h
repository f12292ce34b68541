#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/parity/parity_code.h"

namespace strata {

/// An object that a parity group protects.
struct ParityMember {
  std::uint8_t column = 0;  ///< below ParityRatio::columns
  Digest digest;
  std::uint64_t byteCount = 0;

  friend bool operator==(const ParityMember&, const ParityMember&) = default;
};

/// Objects that are lost and found again together: docs/FORMAT.md §29. Each of its shards, a file
/// of its own, begins with what this says.
struct ParityGroup {
  ParityRatio ratio;
  std::vector<ParityMember> members;  ///< by column, at least one

  /// Bytes of parity in each shard: those of the largest member.
  std::uint64_t shardBytes() const noexcept;
  /// Of all members.
  std::uint64_t memberBytes() const noexcept;
  /// Bytes of the file of a shard.
  std::uint64_t fileBytes() const noexcept;
  /// Names the group: the SHA-256 of header(0).
  Digest id() const;
  /// The first bytes of the file of a shard.
  std::string header(std::uint8_t shard) const;
  bool isFull() const noexcept { return members.size() >= ratio.columns; }

  friend bool operator==(const ParityGroup&, const ParityGroup&) = default;
};

/// Bytes of a header with that many members.
std::uint64_t parityHeaderBytes(std::size_t memberCount) noexcept;

/// The group that the file of a shard names. Fails with CorruptData or FormatTooNew. `shard` is the
/// number that it must have.
Result<ParityGroup> readParityHeader(std::span<const std::byte> file, std::uint8_t shard);

/// What follows the parity: XXH3-64 of all before it.
inline constexpr std::uint64_t kParityChecksumBytes = 8;

/// Whether all bytes of a shard's file are as they were written: the number of them, the name of
/// its group, and the checksum. The reason if not, as in "does not match its checksum".
std::string parityProblem(std::span<const std::byte> file, const ParityGroup& group,
                          std::uint8_t shard);

/// So many bytes of each object are read at once.
inline constexpr std::uint64_t kParityStepBytes = std::uint64_t{1} << 20;
/// The bytes of `file` in [offset, offset + count), as far as it has them.
std::span<const std::byte> parityRange(std::span<const std::byte> file, std::uint64_t offset,
                                       std::uint64_t count) noexcept;

}  // namespace strata
