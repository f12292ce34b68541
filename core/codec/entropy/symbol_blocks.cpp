#include "core/codec/entropy/symbol_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

Result<SymbolBlocks> SymbolBlocks::read(ByteReader& in, const PartShape& shape,
                                        std::size_t alphabet) {
  const auto tables = readTables(in, 1, alphabet);
  if (!tables) return fail(ErrorCode::CorruptData, "frequency table is damaged");
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return SymbolBlocks(std::move(index), decoderTable(*tables));
}

Result<void> SymbolBlocks::damaged(std::uint64_t block) const {
  return fail(ErrorCode::CorruptData, fmt::format("block {} is no stream of symbols", block));
}

void writeSymbolBlocks(ByteWriter& out, const PartShape& shape, std::size_t alphabet,
                       std::span<const std::uint8_t> symbols, std::span<const std::byte> restored,
                       const SymbolsIn& symbolsIn) {
  std::array<std::uint32_t, kMaxAlphabet> counts{};
  for (const std::uint8_t s : symbols) ++counts[s];
  const FrequencyTable table = normalise(std::span(counts).first(alphabet));
  writeTables(out, {&table, 1});
  const auto entries = encoderTable({&table, 1});
  const double bits = codedBits(std::span(counts).first(alphabet), table);
  const std::uint64_t words = symbolsIn ? shape.wordCount() : symbols.size();
  const unsigned log2 =
      goodBlockLog2(bits / static_cast<double>(std::max<std::uint64_t>(1, words)));
  BlockIndexWriter index(log2);
  RansScratch scratch;
  const std::uint64_t step = std::uint64_t{1} << log2;
  std::size_t next = 0;
  for (std::uint64_t at = 0; at < words; at += step) {
    const std::uint64_t n = std::min(step, words - at);
    const auto own = static_cast<std::size_t>(symbolsIn ? symbolsIn(at, n) : n);
    if (own != 0) {
      appendSymbolStream(entries, symbols.subspan(next, own), lanesFor(own), scratch,
                         index.blocks());
    }
    next += own;
    index.endBlock(restored.subspan(at * shape.word.bytes, n * shape.word.bytes));
  }
  index.write(out);
}

}  // namespace strata
