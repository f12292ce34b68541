#include "core/codec/lossy/level_stream.h"

#include <algorithm>

namespace strata {

LevelSymbols::LevelSymbols(std::span<const std::int32_t> levels)
    : symbols(levels.size()), raw(levels.size()) {
  constexpr std::size_t kPiece = 4096;
  const std::vector<std::uint32_t> zeros(std::min(kPiece, levels.size()), 0);
  std::vector<std::uint32_t> words(zeros.size());
  for (std::size_t at = 0; at < levels.size(); at += kPiece) {
    const std::size_t n = std::min(kPiece, levels.size() - at);
    std::copy_n(levels.data() + at, n, words.data());
    kernels::bestKernels().classify32(zeros.data(), words.data(), n, {0, false, false},
                                      {symbols.data() + at, raw.data() + at});
  }
}

ContextCounts LevelSymbols::countsIn(std::span<const std::uint8_t> contexts,
                                     std::size_t stride) const {
  constexpr std::size_t kRun = 4096;
  ContextCounts counts(kLevelAlphabet);
  ContextCounts other(kLevelAlphabet);
  const std::size_t run = stride == 1 ? symbols.size() : kRun;
  for (std::size_t at = 0; at < symbols.size(); at += run * stride) {
    const std::size_t n = std::min(run, symbols.size() - at);
    counts.count(contexts.data() + at, symbols.data() + at, n, other);
  }
  counts.add(other);
  return counts;
}

void LevelStreamEncoder::append(const TableSet& tables,
                                std::span<const kernels::RansEncoderEntry> entries,
                                std::size_t first, std::size_t count, std::vector<std::byte>& out) {
  tablesOf_.resize(count);
  std::transform(contexts_.begin() + static_cast<std::ptrdiff_t>(first),
                 contexts_.begin() + static_cast<std::ptrdiff_t>(first + count), tablesOf_.begin(),
                 [&](std::uint8_t context) { return tables.map[context]; });
  appendDeltaStream(entries, kLevelAlphabet, tablesOf_,
                    {levels_.symbols.data() + first, levels_.raw.data() + first}, lanesFor(count),
                    scratch_, out);
}

}  // namespace strata
