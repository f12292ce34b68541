#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/archive/manifest.h"
#include "core/archive/piece_checksums.h"
#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// Compares a file that is being restored with what its manifest says of it, from its first byte to
/// its last. docs/FORMAT.md, "What is checked", says what each level finds.
class FileCheck {
 public:
  enum class Level {
    Pieces,  ///< checksums of pieces; the SHA-256 where the manifest has none of them
    Sha256,  ///< the SHA-256, and the checksums of pieces that there are
  };

  /// Whether its manifest has checksums of a file's pieces.
  static bool hasPieces(const archive::File& file) { return !file.piece_checksums().empty(); }

  /// `file` must outlive the check.
  FileCheck(const archive::File& file, Level level);
  /// Of some pieces, the first of which begins `firstByte` bytes into the file, which has checksums
  /// of pieces. What it is given ends where a piece ends.
  FileCheck(const archive::File& file, std::uint64_t firstByte);

  /// The next bytes. Fails with CorruptData at the end of a piece that is another one.
  Result<void> update(std::span<const std::byte> bytes);
  /// Once, after all bytes. Fails with CorruptData.
  Result<void> finish();

 private:
  Result<void> comparePieces(const std::string& found);

  const archive::File& file_;
  bool hasPieces_;
  PieceChecksums pieces_;
  std::size_t skipped_ = 0;   ///< bytes of checksums of the pieces before the first
  std::size_t compared_ = 0;  ///< bytes of checksums, from the first piece on
  std::optional<Sha256> whole_;
};

}  // namespace strata
