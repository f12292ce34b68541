#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/archive/manifest.h"
#include "kernels/level_kernels.h"

namespace strata {

/// What one checksum in a manifest is of: so many bytes of a restored file, the last piece the rest
/// (docs/FORMAT.md, "Pieces").
inline constexpr std::uint64_t kCheckedPieceBytes = std::uint64_t{4} << 20;
/// Files below this have no such checksums. Their SHA-256 takes less time than syncing them to a
/// disk, and checksums would be more than a ten-thousandth of a smaller file.
inline constexpr std::uint64_t kLeastCheckedBytes = std::uint64_t{1} << 18;

/// Pieces of a file of `fileBytes` bytes.
std::uint64_t pieceCount(std::uint64_t fileBytes) noexcept;

/// Computes the checksums of a file's pieces, XXH3 of 128 bits, from its bytes as they come. Not
/// for sharing between threads.
class PieceChecksums {
 public:
  PieceChecksums();

  void update(std::span<const std::byte> bytes);
  /// Of the pieces that are whole.
  const std::vector<PieceChecksum>& whole() const noexcept { return whole_; }
  /// Of all pieces of the file that ends here; the object starts anew.
  std::vector<PieceChecksum> finish();

 private:
  void endPiece();

  kernels::HashState hash_;
  std::uint64_t pieceBytes_ = 0;  ///< of the piece that is not whole
  std::vector<PieceChecksum> whole_;
};

}  // namespace strata
