#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/table_set.h"

namespace strata {

/// Symbols of a context's alphabet in streams of levels.
inline constexpr std::size_t kLevelAlphabet = 128;

/// Small signed numbers as symbols of that alphabet, and the bits of them that ride raw.
struct LevelSymbols {
  std::vector<std::uint8_t> symbols;
  std::vector<std::uint32_t> raw;

  explicit LevelSymbols(std::span<const std::int32_t> levels);

  /// How often each symbol occurs in each context; as many contexts as levels. Of runs of some
  /// thousand levels each `stride`-th one is looked at.
  ContextCounts countsIn(std::span<const std::uint8_t> contexts, std::size_t stride = 1) const;
};

/// Levels, each in one of kContexts contexts: what the lossy codecs code with rANS.
/// docs/FORMAT.md, "Level streams".
class LevelStreamEncoder {
 public:
  /// `contexts` are borrowed until the encoder is gone; as many as levels.
  LevelStreamEncoder(LevelSymbols levels, std::span<const std::uint8_t> contexts)
      : levels_(std::move(levels)), contexts_(contexts), counts_(levels_.countsIn(contexts)) {}

  const ContextCounts& counts() const noexcept { return counts_; }

  /// Appends the stream of levels [first, first + count).
  void append(const TableSet& tables, std::span<const kernels::RansEncoderEntry> entries,
              std::size_t first, std::size_t count, std::vector<std::byte>& out);

 private:
  LevelSymbols levels_;
  std::span<const std::uint8_t> contexts_;
  std::vector<std::uint8_t> tablesOf_;
  ContextCounts counts_;
  RansScratch scratch_;
};

/// Context of levels whose mean magnitude is expected to be 2^(halfOctaves / 2).
constexpr std::uint8_t levelContext(std::int32_t halfOctaves) noexcept {
  constexpr std::int32_t kOne = 40;
  const std::int32_t context = halfOctaves + kOne;
  return static_cast<std::uint8_t>(context < 1 ? 1 : context > 63 ? 63 : context);
}

}  // namespace strata
