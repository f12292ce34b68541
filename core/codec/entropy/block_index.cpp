#include "core/codec/entropy/block_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/checked_math.h"
#include "core/digest.h"

namespace strata {

unsigned goodBlockLog2(double bitsPerWord) noexcept {
  unsigned log2 = kMinBlockLog2;
  while (log2 < kMaxBlockLog2 && std::ldexp(bitsPerWord / 8, static_cast<int>(log2)) <
                                     static_cast<double>(kGoodBlockBytes)) {
    ++log2;
  }
  return log2;
}

Result<BlockIndex> BlockIndex::read(ByteReader& in, const PartShape& shape) {
  BlockIndex index;
  index.blockLog2_ = in.byte();
  index.wordCount_ = shape.wordCount();
  if (in.failed() || index.blockLog2_ < kMinBlockLog2 || index.blockLog2_ > kMaxBlockLog2) {
    return fail(ErrorCode::CorruptData,
                fmt::format("block size is 2^{}, expected 2^{} to 2^{}", index.blockLog2_,
                            kMinBlockLog2, kMaxBlockLog2));
  }
  const std::uint64_t count = ceilDivide(index.wordCount_, index.blockWords());
  if (count > in.rest().size() / 5) {
    return fail(
        ErrorCode::CorruptData,
        fmt::format("block index of {} blocks does not fit {} bytes", count, in.rest().size()));
  }
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto next = checkedAdd(end, in.varint());
    if (!next || in.failed()) return fail(ErrorCode::CorruptData, "block index is damaged");
    end = *next;
    index.ends_.push_back(end);
    index.checksums_.push_back(in.fixed<std::uint32_t>());
  }
  index.blocks_ = in.rest();
  if (in.failed() || end != index.blocks_.size()) {
    return fail(ErrorCode::CorruptData,
                fmt::format("blocks are {} bytes, expected {}", index.blocks_.size(), end));
  }
  return index;
}

std::uint64_t BlockIndex::wordsIn(std::uint64_t index) const noexcept {
  return std::min(blockWords(), wordCount_ - index * blockWords());
}

std::span<const std::byte> BlockIndex::block(std::uint64_t index) const noexcept {
  const std::uint64_t start = index == 0 ? 0 : ends_[index - 1];
  return blocks_.subspan(start, ends_[index] - start);
}

Result<void> BlockIndex::check(std::uint64_t index, std::span<const std::byte> decoded) const {
  return requireChecksum(index, blockChecksum(decoded));
}

Result<void> BlockIndex::check(std::uint64_t index, const BlockChecksum& decoded) const {
  return requireChecksum(index, decoded.value());
}

Result<void> BlockIndex::requireChecksum(std::uint64_t index, std::uint32_t found) const {
  if (found == checksums_[index]) return {};
  return fail(ErrorCode::CorruptData, fmt::format("block {} has checksum {:08x}, expected {:08x}",
                                                  index, found, checksums_[index]));
}

void BlockIndexWriter::endBlock(std::uint32_t checksum) {
  ends_.push_back(blocks_.size());
  checksums_.push_back(checksum);
}

void BlockIndexWriter::write(ByteWriter& out) const {
  out.byte(static_cast<std::uint8_t>(blockLog2_));
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    out.varint(ends_[i] - start);
    out.fixed(checksums_[i]);
    start = ends_[i];
  }
  out.bytes(blocks_);
}

}  // namespace strata
