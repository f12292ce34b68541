#include "core/codec/level_stream.h"

#include <algorithm>

namespace strata {

LevelStreamEncoder::LevelStreamEncoder(std::span<const std::int32_t> levels,
                                       std::span<const std::uint8_t> contexts)
    : contexts_(contexts), symbols_(levels.size()), raw_(levels.size()) {
  constexpr std::size_t kPiece = 4096;
  const std::vector<std::uint32_t> zeros(std::min(kPiece, levels.size()), 0);
  std::vector<std::uint32_t> words(zeros.size());
  for (std::size_t at = 0; at < levels.size(); at += kPiece) {
    const std::size_t n = std::min(kPiece, levels.size() - at);
    std::copy_n(levels.data() + at, n, words.data());
    kernels::bestKernels().classify32(zeros.data(), words.data(), n, {0, false, false},
                                      {symbols_.data() + at, raw_.data() + at});
  }
  ContextCounts other(kLevelAlphabet);
  counts_.count(contexts.data(), symbols_.data(), symbols_.size(), other);
  counts_.add(other);
}

double LevelStreamEncoder::rawBits() const noexcept {
  double bits = 0;
  for (const std::uint8_t s : symbols_) bits += s < 8 ? 0 : s / 4 - 1;
  return bits;
}

void LevelStreamEncoder::append(const TableSet& tables,
                                std::span<const kernels::RansEncoderEntry> entries,
                                std::size_t first, std::size_t count, std::vector<std::byte>& out) {
  tablesOf_.resize(count);
  std::transform(contexts_.begin() + static_cast<std::ptrdiff_t>(first),
                 contexts_.begin() + static_cast<std::ptrdiff_t>(first + count), tablesOf_.begin(),
                 [&](std::uint8_t context) { return tables.map[context]; });
  appendDeltaStream(entries, kLevelAlphabet, tablesOf_,
                    {symbols_.data() + first, raw_.data() + first}, lanesFor(count), scratch_, out);
}

}  // namespace strata
