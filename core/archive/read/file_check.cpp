#include "core/archive/read/file_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

std::string hexOf(const PieceChecksum& checksum) {
  std::string text;
  for (const std::byte b : checksum) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

}  // namespace

FileCheck::FileCheck(const ManifestFile& file, Level level)
    : file_(file), hasPieces_(hasPieces(file)) {
  if (!hasPieces_ || level == Level::Sha256) whole_.emplace();
}

FileCheck::FileCheck(const ManifestFile& file, std::uint64_t firstByte)
    : file_(file), hasPieces_(true), skipped_(firstByte / kCheckedPieceBytes) {}

Result<void> FileCheck::update(std::span<const std::byte> bytes) {
  if (whole_) whole_->update(bytes);
  if (!hasPieces_) return {};
  pieces_.update(bytes);
  return comparePieces(pieces_.whole());
}

Result<void> FileCheck::finish() {
  if (hasPieces_) STRATA_TRY(comparePieces(pieces_.finish()));
  if (!whole_) return {};
  const Digest found = whole_->finish();
  if (found == file_.sha256) return {};
  return fail(ErrorCode::CorruptData, fmt::format("the restored bytes have SHA-256 {}, expected {}",
                                                  toHex(found), toHex(file_.sha256)));
}

/// Compares those that were not compared before. The manifest has as many as its file has pieces.
Result<void> FileCheck::comparePieces(std::span<const PieceChecksum> found) {
  for (; compared_ < found.size(); ++compared_) {
    const PieceChecksum& is = found[compared_];
    const PieceChecksum& wanted = file_.pieceChecksums[skipped_ + compared_];
    if (is == wanted) continue;
    const std::uint64_t first = (skipped_ + compared_) * kCheckedPieceBytes;
    const std::uint64_t end = std::min<std::uint64_t>(first + kCheckedPieceBytes, file_.byteCount);
    return fail(ErrorCode::CorruptData,
                fmt::format("its bytes {} to {} are restored with checksum {}, expected {}", first,
                            end - 1, hexOf(is), hexOf(wanted)));
  }
  return {};
}

}  // namespace strata
