#include "core/archive/piece_checksums.h"

#include <algorithm>
#include <utility>

namespace strata {
namespace {

void append(std::string& out, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(number >> shift & 0xFF);
}

}  // namespace

std::uint64_t pieceChecksumBytes(std::uint64_t fileBytes) noexcept {
  const bool hasRest = fileBytes % kCheckedPieceBytes != 0;
  return kPieceChecksumBytes * (fileBytes / kCheckedPieceBytes + (hasRest ? 1 : 0));
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

std::string PieceChecksums::finish() {
  if (pieceBytes_ != 0) endPiece();
  return std::exchange(whole_, {});
}

void PieceChecksums::endPiece() {
  const kernels::Hash128 hash = kernels::bestLevelKernels().endHash128(hash_);
  append(whole_, hash.low);
  append(whole_, hash.high);
  kernels::bestLevelKernels().beginHash(hash_);
  pieceBytes_ = 0;
}

}  // namespace strata
