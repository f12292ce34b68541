#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/rans_block.h"

namespace strata {

/// A part whose words are symbols of one alphabet: one frequency table, a block index, and one
/// symbol stream a block. docs/FORMAT.md, "Symbol blocks".
class SymbolBlocks {
 public:
  /// Reads to the end of the payload. Fails with CorruptData.
  static Result<SymbolBlocks> read(ByteReader& in, const PartShape& shape, std::size_t alphabet);

  const BlockIndex& index() const noexcept { return index_; }

  /// Decodes block `block` and calls `take(first, symbols)` for runs of its symbols in order,
  /// `first` being the number of the run's first word within the block. Runs have kChunkSymbols
  /// symbols, the last one fewer. Fails with CorruptData if the stream does not end as it should.
  template <typename Take>
  Result<void> decode(std::uint64_t block, Take&& take) const {
    return decode(block, static_cast<std::size_t>(index_.wordsIn(block)), take);
  }
  /// The same where the block has `count` symbols, not one for each of its words.
  template <typename Take>
  Result<void> decode(std::uint64_t block, std::size_t count, Take&& take) const;

  static constexpr std::size_t kChunkSymbols = 4096;

 private:
  SymbolBlocks(BlockIndex index, std::vector<std::uint32_t> slots)
      : index_(std::move(index)), slots_(std::move(slots)) {}

  Result<void> damaged(std::uint64_t block) const;

  BlockIndex index_;
  std::vector<std::uint32_t> slots_;
};

/// How many of the words [first, first + count) of a part have a symbol.
using SymbolsIn = std::function<std::uint64_t(std::uint64_t first, std::uint64_t count)>;

/// Writes what SymbolBlocks reads. `restored` are the part's words after decoding. Without
/// `symbolsIn` each word has a symbol. A block in which none has one has no bytes.
void writeSymbolBlocks(ByteWriter& out, const PartShape& shape, std::size_t alphabet,
                       std::span<const std::uint8_t> symbols, std::span<const std::byte> restored,
                       const SymbolsIn& symbolsIn = {});

template <typename Take>
Result<void> SymbolBlocks::decode(std::uint64_t block, std::size_t count, Take&& take) const {
  auto decoder = openRansStream(index_.block(block), lanesFor(count));
  if (!decoder) return damaged(block);
  std::uint8_t symbols[kChunkSymbols];
  for (std::size_t at = 0; at < count; at += kChunkSymbols) {
    const std::size_t n = std::min(kChunkSymbols, count - at);
    kernels::bestKernels().decodeSymbols(*decoder, slots_.data(), n, symbols);
    take(at, std::span<const std::uint8_t>(symbols, n));
  }
  if (!endedClean(*decoder)) return damaged(block);
  return {};
}

}  // namespace strata
