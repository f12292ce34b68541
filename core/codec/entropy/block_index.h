#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/entropy/byte_io.h"
#include "core/digest.h"
#include "core/result.h"
#include "kernels/level_kernels.h"

namespace strata {

/// Smallest block: 2^16 words. Sparse payloads take larger ones.
inline constexpr unsigned kMinBlockLog2 = 16;
inline constexpr unsigned kMaxBlockLog2 = 20;
/// Encoders take blocks whose payload is about this large at least, so that lane states and
/// checksums weigh little.
inline constexpr std::uint64_t kGoodBlockBytes = 16384;

/// The smallest block, as a power of two of words, that takes kGoodBlockBytes at so many bits a
/// word.
unsigned goodBlockLog2(double bitsPerWord) noexcept;

/// The checksum of a block whose words come in pieces: what was just decoded is still at hand.
class BlockChecksum {
 public:
  BlockChecksum() noexcept { kernels::bestLevelKernels().beginHash(state_); }

  void add(std::span<const std::byte> decoded) noexcept {
    kernels::bestLevelKernels().addToHash(state_, decoded.data(), decoded.size());
  }
  std::uint32_t value() const noexcept {
    return static_cast<std::uint32_t>(kernels::bestLevelKernels().endHash(state_));
  }

 private:
  kernels::HashState state_;
};

/// Where the blocks of a payload lie and what they decode to. docs/FORMAT.md, "Blocks".
class BlockIndex {
 public:
  /// Reads the index and takes all bytes left in `in` as the blocks.
  static Result<BlockIndex> read(ByteReader& in, const PartShape& shape);

  std::uint64_t blockWords() const noexcept { return std::uint64_t{1} << blockLog2_; }
  std::uint64_t blockCount() const noexcept { return checksums_.size(); }
  /// Words of block `index`.
  std::uint64_t wordsIn(std::uint64_t index) const noexcept;
  std::span<const std::byte> block(std::uint64_t index) const noexcept;
  std::uint32_t checksum(std::uint64_t index) const noexcept { return checksums_[index]; }
  /// Fails with CorruptData if `decoded` is not what was stored as block `index`.
  Result<void> check(std::uint64_t index, std::span<const std::byte> decoded) const;
  Result<void> check(std::uint64_t index, const BlockChecksum& decoded) const;

 private:
  Result<void> requireChecksum(std::uint64_t index, std::uint32_t found) const;

  unsigned blockLog2_ = kMinBlockLog2;
  std::uint64_t wordCount_ = 0;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> checksums_;
  std::span<const std::byte> blocks_;
};

/// Collects encoded blocks and writes them behind their index.
class BlockIndexWriter {
 public:
  explicit BlockIndexWriter(unsigned blockLog2) : blockLog2_(blockLog2) {}

  /// Adds the next block: everything that was appended to `blocks()` since the last call.
  void endBlock(std::span<const std::byte> decoded) { endBlock(blockChecksum(decoded)); }
  /// The same by the checksum of what the block decodes to.
  void endBlock(std::uint32_t checksum);
  std::vector<std::byte>& blocks() noexcept { return blocks_; }
  void write(ByteWriter& out) const;

 private:
  unsigned blockLog2_;
  std::vector<std::byte> blocks_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> checksums_;
};

/// Calls `encode(words of the block, parent words of the block or empty)` for each block in order.
template <typename Encode>
void forEachBlock(const EncodeInput& input, unsigned blockLog2, Encode&& encode) {
  const std::uint64_t step = (std::uint64_t{1} << blockLog2) * input.shape.word.bytes;
  for (std::uint64_t at = 0; at < input.words.size(); at += step) {
    const std::uint64_t n = std::min<std::uint64_t>(step, input.words.size() - at);
    encode(input.words.subspan(at, n),
           input.parent.empty() ? input.parent : input.parent.subspan(at, n));
  }
}

}  // namespace strata
