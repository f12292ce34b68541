#include "core/archive/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace strata {
namespace {

std::string hexOf(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

FileCheck::FileCheck(const archive::File& file, Level level)
    : file_(file), hasPieces_(hasPieces(file)) {
  if (!hasPieces_ || level == Level::Sha256) whole_.emplace();
}

FileCheck::FileCheck(const archive::File& file, std::uint64_t firstByte)
    : file_(file),
      hasPieces_(true),
      skipped_(firstByte / kCheckedPieceBytes * kPieceChecksumBytes) {}

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
  if (toBytes(found) == file_.sha256()) return {};
  return fail(ErrorCode::CorruptData, fmt::format("the restored bytes have SHA-256 {}, expected {}",
                                                  toHex(found), hexOf(file_.sha256())));
}

/// Compares those that were not compared before. The manifest has as many as its file has pieces.
Result<void> FileCheck::comparePieces(const std::string& found) {
  for (; compared_ < found.size(); compared_ += kPieceChecksumBytes) {
    const std::string_view is = std::string_view(found).substr(compared_, kPieceChecksumBytes);
    const std::string_view wanted =
        std::string_view(file_.piece_checksums()).substr(skipped_ + compared_, kPieceChecksumBytes);
    if (is == wanted) continue;
    const std::uint64_t first = (skipped_ + compared_) / kPieceChecksumBytes * kCheckedPieceBytes;
    const std::uint64_t end =
        std::min<std::uint64_t>(first + kCheckedPieceBytes, file_.byte_count());
    return fail(ErrorCode::CorruptData,
                fmt::format("its bytes {} to {} are restored with checksum {}, expected {}", first,
                            end - 1, hexOf(is), hexOf(wanted)));
  }
  return {};
}

}  // namespace strata
