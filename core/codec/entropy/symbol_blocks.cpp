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
                       std::span<const std::uint8_t> symbols, std::span<const std::byte> restored) {
  std::array<std::uint32_t, kMaxAlphabet> counts{};
  for (const std::uint8_t s : symbols) ++counts[s];
  const FrequencyTable table = normalise(std::span(counts).first(alphabet));
  writeTables(out, {&table, 1});
  const auto entries = encoderTable({&table, 1});
  const double bits = codedBits(std::span(counts).first(alphabet), table);
  const unsigned log2 =
      goodBlockLog2(bits / static_cast<double>(std::max<std::size_t>(1, symbols.size())));
  BlockIndexWriter index(log2);
  RansScratch scratch;
  const std::size_t step = std::size_t{1} << log2;
  for (std::size_t at = 0; at < symbols.size(); at += step) {
    const std::size_t n = std::min(step, symbols.size() - at);
    appendSymbolStream(entries, symbols.subspan(at, n), lanesFor(n), scratch, index.blocks());
    index.endBlock(restored.subspan(at * shape.word.bytes, n * shape.word.bytes));
  }
  index.write(out);
}

}  // namespace strata
