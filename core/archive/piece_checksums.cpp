#include "core/archive/piece_checksums.h"

#include <algorithm>
#include <utility>

namespace strata {
namespace {

/// Both halves in little-endian order, the low one first.
PieceChecksum bytesOf(const kernels::Hash128& hash) noexcept {
  PieceChecksum bytes;
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::byte>(hash.low >> 8 * i);
    bytes[8 + i] = static_cast<std::byte>(hash.high >> 8 * i);
  }
  return bytes;
}

}  // namespace

std::uint64_t pieceCount(std::uint64_t fileBytes) noexcept {
  const bool hasRest = fileBytes % kCheckedPieceBytes != 0;
  return fileBytes / kCheckedPieceBytes + (hasRest ? 1 : 0);
}

PieceChecksums::PieceChecksums() { kernels::bestLevelKernels().beginHash(hash_); }

void PieceChecksums::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto next = bytes.first(static_cast<std::size_t>(
        std::min<std::uint64_t>(kCheckedPieceBytes - pieceBytes_, bytes.size())));
    kernels::bestLevelKernels().addToHash(hash_, next.data(), next.size());
    pieceBytes_ += next.size();
    if (pieceBytes_ == kCheckedPieceBytes) endPiece();
    bytes = bytes.subspan(next.size());
  }
}

std::vector<PieceChecksum> PieceChecksums::finish() {
  if (pieceBytes_ != 0) endPiece();
  return std::exchange(whole_, {});
}

void PieceChecksums::endPiece() {
  whole_.push_back(bytesOf(kernels::bestLevelKernels().endHash128(hash_)));
  kernels::bestLevelKernels().beginHash(hash_);
  pieceBytes_ = 0;
}

}  // namespace strata
